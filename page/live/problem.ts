/** A failure as the page words it: the API's own message, or that berth could not be reached. */
import type { Remedy } from "../../client/berth/models.ts";
import { isStatusError, isTimeoutError } from "../../client/mod.ts";
import { words } from "../words/en.ts";

export interface Problem {
  readonly title: string;
  readonly code: string;
  readonly status: number;
  /** To find it in the log of the service. */
  readonly requestId: string | null;
  /** The errors of single fields of the input. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** Its remedies; only of plans and applies. */
  readonly remedies?: readonly Remedy[];
}

/** Null for what was only cancelled. */
export function problemOf(error: unknown): Problem | null {
  if (error instanceof DOMException && error.name === "AbortError") return null;
  if (!isStatusError(error)) {
    const isAct = isTimeoutError(error) && error.method !== "GET";
    const title = isAct ? words.problem.notKnown : words.problem.notReached;
    const code = isAct ? "not_known" : "not_reached";
    return { title, code, status: 0, requestId: null, errors: [] };
  }
  const { statusCode: status, text } = error.response;
  let body: Partial<Problem> = {};
  try {
    body = JSON.parse(text);
  } catch {
    // a proxy's own page: its status has to do
  }
  return {
    title: typeof body.title === "string" ? body.title : words.problem.status(status),
    code: body.code ?? "unknown",
    status,
    requestId: body.requestId ?? null,
    errors: Array.isArray(body.errors) ? body.errors : [],
    remedies: Array.isArray(body.remedies) ? body.remedies : [],
  };
}
