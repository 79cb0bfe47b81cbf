/** The words of a container that reach a terminal. */
import assert from "node:assert/strict";
import { forTerminal, withoutMovement } from "../../commands/for_terminal.ts";

Deno.test("withoutMovement keeps colours and spells out what would move, clear or retitle a terminal", () => {
  assert.equal(withoutMovement("\x1b[1;31mred\x1b[0m\tok\n"), "\x1b[1;31mred\x1b[0m\tok\n");
  assert.equal(
    withoutMovement("\x1b[2J\x1b]0;title\x07\x9b1A\x08"),
    "\\x1b[2J\\x1b]0;title\\x07\\x9b1A\\x08",
  );
});

Deno.test("forTerminal leaves what goes to a file as it is", () => {
  assert.equal(forTerminal({ isTerminal: () => false })("\x1b[2J"), "\x1b[2J");
  assert.equal(forTerminal({ isTerminal: () => true })("\x1b[2J"), "\\x1b[2J");
});
