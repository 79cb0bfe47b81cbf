/** Text that a container wrote, made fit for a terminal: colours stay, what would move or rewrite the screen does not. */

/** Control characters but newline, tab and return; an escape that begins a colour (`ESC [ ... m`) may stay. */
// deno-lint-ignore no-control-regex
const UNSAFE = /\x1b(?!\[[\d;]*m)|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]/g;

/** Leaves what goes to a file or another program as it is. */
export function forTerminal(stream: { isTerminal(): boolean }): (text: string) => string {
  return stream.isTerminal() ? withoutMovement : (text) => text;
}

export function withoutMovement(text: string): string {
  return text.replace(
    UNSAFE,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
