/** Entity tags: made from a text, and compared with the caller's `If-None-Match`. */
import { textHash } from "../../core/text_hash.ts";

/** A strong entity tag: a hash of the text, with its length. */
export function etagOf(text: string): string {
  const hash = textHash(text).map((half) => half.toString(36)).join("");
  return `"${hash}-${text.length.toString(36)}"`;
}

/** The tags that the caller's `If-Match` names; null without one. A proxy that compresses makes them weak. */
export function tagsToMatch({ headers }: Request): readonly string[] | null {
  const named = headers.get("if-match");
  return named === null ? null : named.split(",").map((one) => one.trim().replace(/^W\//, ""));
}

/** Returns true if the caller's `If-None-Match` names this tag. */
export function holds(request: Request, etag: string): boolean {
  const known = request.headers.get("if-none-match");
  if (known === null) return false;
  if (known === etag || known === "*") return true;
  return known.split(",").some((one) => one.trim().replace(/^W\//, "") === etag);
}
