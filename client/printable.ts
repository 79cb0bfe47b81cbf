/** Keeps control characters out of terminals: a response may hold escape sequences. */

/** The text with every control character but newline and tab spelled out. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]/gu, (c) => "\\x" + c.charCodeAt(0).toString(16).padStart(2, "0"));
}
