/** Routes as values: what is declared here is what is checked, answered and documented. */
import type * as z from "../../core/schema.ts";
import type { CorePermission } from "../../core/access.ts";
import type { Answer, Cached, EmptyAnswer, JsonAnswer, RawAnswer, Reply } from "./answer.ts";
import type { Later } from "../../core/later.ts";
import type { Call } from "./call.ts";
import type { Hints } from "./checked.ts";
import type { Audited, Particulars } from "./trail.ts";

export { cached, empty, json, located, problems, problemsOf, raw, reply } from "./answer.ts";
export { particularsOf } from "./trail.ts";

/**
 * The object of a permission. `everything`: the service as a whole, so that no scope is enough. `listed`: the answer
 * holds the part within `call.reach`, and is silent about the rest. `found`: one thing, which is not found beyond
 * `call.reach`. A handler of the latter two that never reads `call.reach` fails for callers with scopes.
 */
type SubjectRule = "everything" | "listed" | "found";

/** A route without a permission has no scope either; every other one names the object of its permission. */
type Asks<Needed extends string> = Needed extends "open" | "any" ? { readonly subject?: never }
  : { readonly subject: SubjectRule };

type Method = "get" | "post" | "put" | "delete";

/** A header that a route reads besides those that all do. */
export type RequestHeader = "If-None-Match" | "If-Match" | "Last-Event-ID" | "X-Berth";

/**
 * A route's declaration. Each names its permission: "open" needs no credential, and "any" needs a valid one, whatever
 * its permissions.
 */
interface Route<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answers = Readonly<Record<number, Answer>>,
  Needed extends string = string,
> {
  readonly method: Method;
  /** Below `/api`, with `{name}` for a segment and `{name...}` for the rest of the path. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: Needed;
  /** Left out only where no permission is asked for. */
  readonly subject?: SubjectRule;
  /** Guards against a stolen session: the session must have proved its identity a short while ago. */
  readonly proof?: true;
  readonly params?: Params;
  readonly query?: Query;
  /** The meaning of names from other services, for callers who send one of them. */
  readonly hints?: Hints;
  /** The API document tells of them, and of what they answer. */
  readonly headers?: readonly RequestHeader[];
  readonly body?: Body;
  /** Bytes of body that are read at most; by default 1 MiB, and 16 KiB where no credential is asked for. */
  readonly bodyLimit?: number;
  /** The time for it to arrive; 30 s by default. */
  readonly bodyTimeoutMs?: number;
  /**
   * Every method but `get` is an act unless it says otherwise; a change that changes nothing (`validate`)
   * says false.
   */
  readonly audited?: Audited;
  /** Details of an act for the audit log besides its path; nothing secret. */
  readonly particulars?: (asked: Asked<Params, Query, Body>) => Particulars;
  readonly answers: Answers;
}

/** A WebSocket's declaration. Who may not, or asks wrongly, is answered before the 101. */
export interface SocketRoute<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Needed extends string = string,
> {
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: Needed;
  /** As of a route. */
  readonly subject?: SubjectRule;
  /** As of a route. */
  readonly proof?: true;
  /** Every opening is an act where it says so; a refusal is always told. */
  readonly audited?: Audited;
  readonly params?: Params;
  readonly query?: Query;
  readonly hints?: Hints;
  /** Messages that the caller may send, as JSON in text frames. */
  readonly send?: Later<z.ZodType>;
  /** Messages that the caller receives, as JSON in text frames. */
  readonly receive?: Later<z.ZodType>;
  /** True if binary frames go up and down as well. */
  readonly bytes?: boolean;
  /** As of a route. */
  readonly particulars?: (asked: Asked<Params, Query, z.ZodUndefined>) => Particulars;
}

/** The parsed request. */
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

/** A declaration, whatever its input and answers are. */
export type AnyRoute<Needed extends string = string> =
  // deno-lint-ignore no-explicit-any -- schemas are invariant; what was typed at `route` is erased in a list
  Route<any, any, any, any, Needed> | SocketRoute<any, any, Needed>;

/** A route with its handler, as the app mounts it, the API document lists it and the tests walk it. */
export type Entry<Needed extends string = string> =
  | {
    readonly kind: "route";
    readonly route: Route<z.ZodType, z.ZodType, z.ZodType, Readonly<Record<number, Answer>>, Needed>;
    readonly handler: AnyHandler;
  }
  | {
    readonly kind: "socket";
    readonly route: SocketRoute<z.ZodType, z.ZodType, Needed>;
    readonly handler: AnyHandler;
  };

/** Declares a route; the query becomes strict, so that an unknown parameter is an error. */
export function route<
  const Answers,
  const Needed extends string,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodObject = never,
  Body extends z.ZodType = z.ZodUndefined,
>(
  declared: Route<Params, Query, Body, Answers, Needed> & Asks<Needed>,
): Route<Params, Query, Body, Answers, Needed> {
  return declared.query === undefined ? declared : { ...declared, query: declared.query.strict() as Query };
}

export function socketRoute<
  const Needed extends string,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodObject = never,
>(declared: SocketRoute<Params, Query, Needed> & Asks<Needed>): SocketRoute<Params, Query, Needed> {
  return declared.query === undefined ? declared : { ...declared, query: declared.query.strict() as Query };
}

/** Routes with their handlers; `Needed` gathers their permissions, so that a misspelt one does not compile. */
export class Router<Needed extends string = string> {
  readonly entries: Entry<Needed>[] = [];

  on<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType, Answers, Own extends string>(
    route: Route<Params, Query, Body, Answers, Own>,
    handler: (
      call: Call<Parsed<Params>, Parsed<Query>, Parsed<Body>>,
    ) => ReplyFor<Answers> | Promise<ReplyFor<Answers>>,
  ): Router<Needed | Own> {
    return this.#with([{ kind: "route", route: route as unknown as Route, handler }]);
  }

  /** The handler opens the socket itself (`http/socket/socket.ts`) and returns its 101. */
  socket<Params extends z.ZodType, Query extends z.ZodType, Own extends string>(
    route: SocketRoute<Params, Query, Own>,
    handler: (call: Call<Parsed<Params>, Parsed<Query>, undefined>) => Response | Promise<Response>,
  ): Router<Needed | Own> {
    return this.#with([{ kind: "socket", route: route as unknown as SocketRoute, handler }]);
  }

  /** Takes over another router's routes. */
  add<Own extends string>(other: Router<Own>): Router<Needed | Own> {
    return this.#with(other.entries);
  }

  #with<Own extends string>(entries: readonly Entry[]): Router<Needed | Own> {
    this.entries.push(...entries as Entry<Needed>[]); // the answer's type says what was added
    return this as unknown as Router<Needed | Own>;
  }
}

/** The core's own routes: a permission that the core does not declare does not compile. */
export type CoreRouter = Router<CorePermission | "open" | "any">;

export function router(): Router<never> {
  return new Router();
}

/** `GET /api/containers/{id}`, or `WS /api/containers/{id}/exec`. */
export function nameOf(route: AnyRoute): string {
  return `${"method" in route ? route.method.toUpperCase() : "WS"} /api${route.path}`;
}
