/** Entity tags: made from a text, and compared with the caller's `If-None-Match`. */

/** A strong entity tag: two FNV-1a hashes of the text with its length. */
export function etagOf(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9e3779b1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
    b ^= b >>> 13;
  }
  return `"${(a >>> 0).toString(36)}${(b >>> 0).toString(36)}-${text.length.toString(36)}"`;
}

/** Whether the caller's `If-None-Match` names this tag. */
export function holds(request: Request, etag: string): boolean {
  const known = request.headers.get("if-none-match");
  if (known === null) return false;
  if (known === etag || known === "*") return true;
  return known.split(",").some((one) => one.trim().replace(/^W\//, "") === etag);
}
