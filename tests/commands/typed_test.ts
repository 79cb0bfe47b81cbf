/** The person at the terminal, and the questions that are answered there. */
import assert from "node:assert/strict";
import { isMeant } from "../../commands/confirmed.ts";
import { parseLine } from "../../commands/parse.ts";
import { commandOf } from "../../commands/table.ts";
import type { Line } from "../../commands/command.ts";

const encoder = new TextEncoder();

/** A terminal that gives these pieces, one a read, and then its end. */
function terminal(...pieces: string[]) {
  const readSync = (bytes: Uint8Array): number | null => {
    const piece = pieces.shift();
    return piece === undefined ? null : encoder.encodeInto(piece, bytes).written;
  };
  return { isTerminal: () => true, readSync };
}

const apply = (...words: string[]) => parseLine(commandOf("apply")!, ["shop", ...words]) as Line;

Deno.test("isMeant asks beside the output, and takes the names of what is lost and a yes for an agreement", () => {
  const asked = (...typed: string[]) => {
    let said = "";
    const dialog = { input: terminal(...typed), say: (text: string) => void (said += text) };
    return [isMeant("Apply?", apply(), ["shop_db"], dialog), said];
  };
  const lost = "All data of shop_db will be lost. Type its name to go on: ";

  assert.deepEqual(asked("shop_db\n", "y\n"), [true, `${lost}Apply? [y/N] `]);
  assert.deepEqual(asked("shop", "_db\r\n", "Yes\n"), [true, `${lost}Apply? [y/N] `]);
  assert.deepEqual(asked("y\n", "y\n"), [false, lost]);
  for (const answer of [["\n"], ["n\n"], ["yo\n"], ["y"], []]) {
    assert.deepEqual(asked("shop_db\n", ...answer), [false, `${lost}Apply? [y/N] `]);
  }
});

Deno.test("isMeant does not ask with --json, which shows no plan to agree to", () => {
  const silent = { input: terminal("y\n"), say: () => assert.fail("it asked") };
  assert.throws(() => isMeant("Apply?", apply("--json"), [], silent), /"--json" asks nobody: say "--yes"/);
  assert.equal(isMeant("Apply?", apply("--json", "--yes"), [], silent), true);
});
