/** A quick hash that identifies a text; not a cryptographic one. */

/** Two independent halves of 32 bits each; the first is FNV-1a. Another salt gives another hash. */
export function textHash(text: string, salt = 0x811c9dc5): readonly [number, number] {
  let a = salt;
  let b = salt ^ 0x1f2be474;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
    b ^= b >>> 13;
  }
  return [a >>> 0, b >>> 0];
}
