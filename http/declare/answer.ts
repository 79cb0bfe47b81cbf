/** The answers that a route declares, and the values that its handler returns. */
import type * as z from "../../core/schema.ts";
import { type Later, makerOf } from "../../core/later.ts";
import type { DeclaredCodes, ErrorCode } from "../../core/error.ts";
import { etagOf } from "./etag.ts";
import { statusOfCode } from "./status.ts";

/** A declared answer with a JSON body. */
export interface JsonAnswer<Schema extends z.ZodType = z.ZodType> {
  readonly kind: "json";
  /** Asked by documents alone. */
  readonly schema: () => Schema;
  readonly description: string;
  /** True of one that names the path of what was made in `Location`. */
  readonly isLocated?: true;
}
/** A declared answer whose bytes the handler makes itself: text, streams. */
export interface RawAnswer {
  readonly kind: "raw";
  readonly description: string;
  /** By media type; null where there is no schema to show. Asked by documents alone. */
  readonly content: () => RawContent;
}
/** A declared answer without a body. */
export interface EmptyAnswer {
  readonly kind: "empty";
  readonly description: string;
}
interface ProblemAnswer {
  readonly kind: "problem";
  readonly codes: readonly string[];
}
export type Answer = JsonAnswer | RawAnswer | EmptyAnswer | ProblemAnswer;

/** A schema that nothing else needs may be made `later`. */
export function json<Schema extends z.ZodType>(
  schema: Later<Schema>,
  description: string,
): JsonAnswer<Schema> {
  return { kind: "json", schema: makerOf(schema), description };
}

/** The same for an answer that names the path of what was made in `Location`. */
export function located<Schema extends z.ZodType>(
  schema: Later<Schema>,
  description: string,
): JsonAnswer<Schema> {
  return { ...json(schema, description), isLocated: true };
}

/** `raw("The log", { "text/plain": null, "application/x-ndjson": LogLine })` */
export function raw(description: string, content: Later<RawContent>): RawAnswer {
  return { kind: "raw", description, content: makerOf(content) };
}

type RawContent = Readonly<Record<string, z.ZodType | null>>;

export function empty(description: string): EmptyAnswer {
  return { kind: "empty", description };
}

/** The failures of its own that a route may answer with; spread into `answers`. */
export function problems(...codes: ErrorCode[]): Readonly<Record<never, never>> {
  return byStatus(codes.map((code) => [code, statusOfCode(code)]));
}

/** The same for a plugin that has codes of its own: `problemsOf(CODES)("units_unavailable", "not_found")`. */
export function problemsOf<Codes extends DeclaredCodes>(
  codes: Codes,
): (...named: (ErrorCode | keyof Codes & string)[]) => Readonly<Record<never, never>> {
  return (...named) => byStatus(named.map((code) => [code, codes[code] ?? statusOfCode(code as ErrorCode)]));
}

function byStatus(
  codes: readonly (readonly [code: string, status: number])[],
): Record<number, ProblemAnswer> {
  const answers: Record<number, ProblemAnswer> = {};
  for (const [code, status] of codes) {
    answers[status] = { kind: "problem", codes: [...answers[status]?.codes ?? [], code] };
  }
  return answers;
}

/** Several values are several headers, which cookies need. */
type ExtraHeaders = Readonly<Record<string, string | readonly string[]>>;

/** A value to be answered as JSON under a declared status. */
export class Reply<Status extends number = number, Value = unknown> {
  constructor(readonly status: Status, readonly value: Value, readonly headers?: ExtraHeaders) {}
}

export function reply<const Status extends number>(status: Status): Reply<Status, undefined>;
export function reply<const Status extends number, Value>(
  status: Status,
  value: Value,
  headers?: ExtraHeaders,
): Reply<Status, Value>;
export function reply<const Status extends number, Value>(
  status: Status,
  value?: Value,
  headers?: ExtraHeaders,
): Reply<Status, Value | undefined> {
  return new Reply(status, value, headers);
}

/** JSON text that was serialised before, with its entity tag and, where it was made, its compressed twin. */
export class Cached {
  constructor(readonly text: string, readonly etag: string, readonly gzip?: Uint8Array<ArrayBuffer>) {}
}

/** Answers 200 with the cached text, or 304 where the caller has it already. */
export function cached(text: string, etag: string = etagOf(text), gzip?: Uint8Array<ArrayBuffer>): Cached {
  return new Cached(text, etag, gzip);
}
