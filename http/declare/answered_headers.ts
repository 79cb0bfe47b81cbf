/** The headers of a route's own answers: those that it declares, and that its callers may rely on. */
import type { Entry } from "./router.ts";

type AnsweredHeader = "ETag" | "Location";

/** Returns true if the route answers 304 to a caller who has its answer already; a write means by the header that nothing is there. */
export function answersUnchanged({ kind, route }: Entry): boolean {
  return kind === "route" && route.method === "get" && (route.headers ?? []).includes("If-None-Match");
}

/** Returns the headers of an answer with this status, as the API document lists them. */
export function answeredHeaders(entry: Entry, status: number): readonly AnsweredHeader[] {
  if (entry.kind === "socket") return [];
  if (status === 304) return answersUnchanged(entry) ? ["ETag"] : [];
  const { answers, headers = [] } = entry.route;
  const answer = answers[status];
  if (answer === undefined || answer.kind === "problem") return [];
  return [
    ...(answer.kind === "json" && answer.isLocated ? ["Location" as const] : []),
    ...(headers.some((name) => name === "If-Match" || name === "If-None-Match") ? ["ETag" as const] : []),
  ];
}
