/** Parses large texts off the main loop. */

import { parseYaml } from "./parse.ts";
import { encode } from "./parsed_codec.ts";
import { draftOf, type Source } from "./source.ts";

/** `self` typed for a worker: the compiler knows that of a window. */
const scope = self as unknown as {
  onmessage: ((event: MessageEvent<Source>) => void) | null;
  postMessage(message: unknown, transfer: Transferable[]): void;
};

scope.onmessage = (event) => {
  // The text was scanned before it was sent here.
  const file = draftOf(event.data);
  const encoded = encode(Object.assign(file, parseYaml(file, null)));
  scope.postMessage(encoded, [encoded.numbers.buffer as ArrayBuffer]);
};
