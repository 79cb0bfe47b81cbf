/** Parses one large text off the main loop. Cloning keeps identity, so nodes still point to their file. */

import { parseNow, type Source } from "./parse_file.ts";

/** `self` as a worker has it; the checker knows the window's. */
const scope = self as unknown as {
  onmessage: ((event: MessageEvent<Source>) => void) | null;
  postMessage(message: unknown): void;
};

scope.onmessage = (event) => scope.postMessage(parseNow(event.data));
