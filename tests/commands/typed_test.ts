/** The person at the terminal: a question that is answered, and a secret that is typed. */
import assert from "node:assert/strict";
import { isMeant } from "../../commands/confirmed.ts";
import { parseLine } from "../../commands/parse.ts";
import { commandOf } from "../../commands/table.ts";
import { typedSecret } from "../../commands/secret.ts";
import type { Line } from "../../commands/command.ts";

const encoder = new TextEncoder();

/** A terminal that gives these pieces, one a read, and then its end. */
function terminal(...pieces: string[]) {
  const readSync = (bytes: Uint8Array): number | null => {
    const piece = pieces.shift();
    return piece === undefined ? null : encoder.encodeInto(piece, bytes).written;
  };
  return {
    isTerminal: () => true,
    readSync,
    read: (bytes: Uint8Array) => Promise.resolve(readSync(bytes)),
  };
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

for (
  const [keys, line] of [
    [["pasx\x7fs\r"], "pass"],
    [["pasé\x7f", "\x08ss\n"], "pass"],
    [["\x7f\x7fa\u{1f511}\x7fb\n"], "ab"],
    [["wrong\x15pass\r", "more"], "pass"],
    [["pass\x04word\n"], "pass"],
    [["pass"], "pass"],
    [["p ä\u{1f511}\tß\r"], "p ä\u{1f511}\tß"],
  ] as const
) {
  Deno.test(`typedSecret reads ${JSON.stringify(line)} from the keys ${JSON.stringify(keys)}`, async () => {
    assert.equal(await typedSecret(terminal(...keys)), line);
  });
}
