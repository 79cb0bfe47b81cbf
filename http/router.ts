/** Routes as values: what is declared here is what is checked, answered and documented. */
import type { z } from "zod";
import type { Permission } from "../core/access.ts";
import type { Answer, Cached, EmptyAnswer, JsonAnswer, RawAnswer, Reply } from "./answer.ts";
import type { Call } from "./call.ts";
import type { Audited, Particulars } from "./trail.ts";

export { cached, empty, json, problems, raw, reply } from "./answer.ts";

export type Method = "get" | "post" | "put" | "delete";

/**
 * A route's declaration. `permission` is written on every one of them; "open" says it in so many words, and "any" lets
 * in whoever has a good credential, whatever it may do.
 */
export interface Route<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answers = Readonly<Record<number, Answer>>,
> {
  readonly method: Method;
  /** Below `/api`, with `{name}` for a segment and `{name...}` for the rest of the path. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: Permission | "open" | "any";
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Bytes of body that are read at most; 1 MiB unless told otherwise. */
  readonly bodyLimit?: number;
  /** How long it may take to arrive; 30 s unless told otherwise. */
  readonly bodyTimeoutMs?: number;
  /** What is no `get` is an act unless it says otherwise; a change that changes nothing (`validate`) says false. */
  readonly audited?: Audited;
  /** What the audit log tells of an act besides its path; nothing secret. */
  readonly particulars?: (asked: Asked<Params, Query, Body>) => Particulars;
  readonly answers: Answers;
}

/** A WebSocket's declaration. Who may not, or asks wrongly, is answered before the 101. */
export interface SocketRoute<Params extends z.ZodType = z.ZodType, Query extends z.ZodType = z.ZodType> {
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: Permission;
  readonly params?: Params;
  readonly query?: Query;
  /** An act of everybody who may run commands; of nobody else. */
  readonly particulars?: (asked: Asked<Params, Query, z.ZodUndefined>) => Particulars;
}

/** What was asked, parsed. */
export interface Asked<Params, Query, Body> {
  readonly params: Parsed<Params>;
  readonly query: Parsed<Query>;
  readonly body: Parsed<Body>;
}

type ReplyFor<Answers> = {
  [Status in keyof Answers & number]: Answers[Status] extends JsonAnswer<infer Schema>
    ? Reply<Status, z.input<Schema>> | (Status extends 200 ? Cached : never)
    : Answers[Status] extends EmptyAnswer ? Reply<Status, undefined>
    : Answers[Status] extends RawAnswer ? Response
    : never;
}[keyof Answers & number];

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

// deno-lint-ignore no-explicit-any -- what was typed at `on` is erased in the list
type AnyHandler = (call: Call<any, any, any>) => unknown;

/** A route with its handler, as the app mounts it, the API document lists it and the tests walk it. */
export type Entry =
  | { readonly kind: "route"; readonly route: Route; readonly handler: AnyHandler }
  | { readonly kind: "socket"; readonly route: SocketRoute; readonly handler: AnyHandler };

/** Declares a route; the query becomes strict, so that an unknown parameter is an error. */
export function route<
  const Answers,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodObject = never,
  Body extends z.ZodType = z.ZodUndefined,
>(declared: Route<Params, Query, Body, Answers>): Route<Params, Query, Body, Answers> {
  return declared.query === undefined ? declared : { ...declared, query: declared.query.strict() as Query };
}

export function socketRoute<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodObject = never,
>(declared: SocketRoute<Params, Query>): SocketRoute<Params, Query> {
  return declared.query === undefined ? declared : { ...declared, query: declared.query.strict() as Query };
}

export class Router {
  readonly entries: Entry[] = [];

  on<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType, Answers>(
    route: Route<Params, Query, Body, Answers>,
    handler: (
      call: Call<Parsed<Params>, Parsed<Query>, Parsed<Body>>,
    ) => ReplyFor<Answers> | Promise<ReplyFor<Answers>>,
  ): this {
    this.entries.push({ kind: "route", route: route as unknown as Route, handler });
    return this;
  }

  /** The handler opens the socket itself (`http/socket.ts`) and returns its 101. */
  socket<Params extends z.ZodType, Query extends z.ZodType>(
    route: SocketRoute<Params, Query>,
    handler: (call: Call<Parsed<Params>, Parsed<Query>, undefined>) => Response | Promise<Response>,
  ): this {
    this.entries.push({ kind: "socket", route: route as unknown as SocketRoute, handler });
    return this;
  }

  /** Takes over another router's routes. */
  add(other: Router): this {
    this.entries.push(...other.entries);
    return this;
  }
}

export function router(): Router {
  return new Router();
}
