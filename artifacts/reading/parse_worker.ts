/** Parses large texts off the main loop. */

import { parseNow, type Source } from "./parse_file.ts";
import { encode } from "./parsed_codec.ts";

/** `self` as a worker has it; the checker knows the window's. */
const scope = self as unknown as {
  onmessage: ((event: MessageEvent<Source>) => void) | null;
  postMessage(message: unknown, transfer: Transferable[]): void;
};

scope.onmessage = (event) => {
  // The scan was passed before the text came here.
  const encoded = encode(parseNow(event.data, null));
  scope.postMessage(encoded, [encoded.numbers.buffer as ArrayBuffer]);
};
