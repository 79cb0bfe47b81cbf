/** Promise: a text that could not be read in time is not blamed on its masks. */
import assert from "node:assert/strict";
import { parseFile, parseNow } from "../files/parse_file.ts";
import { ParseQueue } from "../yaml/parse_queue.ts";
import type { Source } from "../yaml/source.ts";
import { maskedText } from "./masked_text.ts";
import { putBack } from "./put_back.ts";

/** A machine that is too busy to read anything. */
class Late extends ParseQueue {
  override parse(): Promise<null> {
    return Promise.resolve(null);
  }
}

Deno.test("a text that takes too long to read is said to, and its masks are not said to have moved", async () => {
  const source = (text: string): Source => ({ path: "compose.yaml", kind: "compose", text, hash: "" });
  const file = parseNow(
    source("services:\n  db:\n    environment:\n      TLS_PRIVATE: |\n        hunter22\n"),
  );
  const edited = `${maskedText(file)}# ${"more ".repeat(2_000)}\n`;
  assert.doesNotMatch(edited, /hunter22/);

  const late = await putBack(file, edited, (text) => parseFile(source(text), new Late()));
  assert.deepEqual(late, { unread: '"compose.yaml" takes over 10 seconds to parse, so it was not read' });

  const read = await putBack(file, edited, (text) => Promise.resolve(parseNow(source(text))));
  assert.match("text" in read ? read.text : "", /hunter22\n# more /);
});
