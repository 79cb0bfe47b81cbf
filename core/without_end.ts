/** A text without some characters at its end. */

/** In linear time, which a pattern as `/\/+$/` does not take of a text made against it. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
