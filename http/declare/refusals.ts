/** The codes that a route refuses with: those that it declares, and those that all routes of its kind share. */
import { BYTES } from "./bytes.ts";
import type { Entry } from "./router.ts";

/** Returns the codes by status, as the API document lists them. */
export function refusalsOf(entry: Entry): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, Set<string>>();
  const add = (status: number, ...codes: readonly string[]) =>
    found.set(status, (found.get(status) ?? new Set()).union(new Set(codes)));
  const { permission, proof } = entry.route;
  if (entry.kind === "route") {
    for (const [status, answer] of Object.entries(entry.route.answers)) {
      if (answer.kind === "problem") add(Number(status), ...answer.codes);
    }
    if (entry.route.headers?.includes("X-Berth")) add(403, "origin_refused"); // from a page of somebody else
    if (entry.route.body !== undefined) {
      add(400, "malformed_json");
      add(408, "body_too_slow");
      add(413, "body_too_large");
      if (entry.route.body !== BYTES) add(415, "unsupported_media_type");
    }
  } else {
    add(403, "origin_refused");
    add(426, "upgrade_required");
    add(429, "too_many_streams");
  }
  add(400, "invalid_request");
  if (permission !== "open") {
    add(400, "two_credentials");
    add(401, "unauthenticated");
  }
  if (permission !== "open" && permission !== "any") add(403, "forbidden");
  if (proof === true) add(403, "sign_in_again");
  return new Map([...found].sort(([a], [b]) => a - b).map(([status, codes]) => [status, [...codes]]));
}
