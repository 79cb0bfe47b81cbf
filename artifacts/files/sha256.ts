/** SHA-256, as files and revisions are known by. */

import { createHash } from "node:crypto";

/** Hex digits of the hash of a text (as UTF-8) or of bytes. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
