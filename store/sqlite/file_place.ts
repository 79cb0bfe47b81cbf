/**
 * Checks that the store's files still lie where they were opened: writes to moved ones are lost at the end.
 */
import { ServiceError } from "../../core/error.ts";

/** The write-ahead log holds what was written last, so it counts as much as the file. */
const PARTS = ["", "-wal"];

/** Of a mode. What is open could still be written, but not be opened again. */
const ANYBODY_WRITES = 0o222;

export class FilePlace {
  readonly #path: string;
  #identities: readonly (string | null)[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  /** From now on, these are the files. */
  remember(): void {
    this.#identities = this.#look();
  }

  /** Throws `store_unavailable` where one of them was moved, removed, replaced or made read-only since. */
  check(): void {
    const now = this.#look();
    if (this.#identities.every((identity, part) => identity === now[part])) return;
    throw new ServiceError(
      "store_unavailable",
      "Cannot use the store: its file was moved, removed, replaced or made read-only; undo that, or restart berth",
    );
  }

  #look(): (string | null)[] {
    return PARTS.map((part) => {
      try {
        const { dev, ino, mode } = Deno.statSync(this.#path + part);
        const isWritable = ((mode ?? ANYBODY_WRITES) & ANYBODY_WRITES) !== 0;
        return `${dev}:${ino}:${isWritable}`;
      } catch {
        return null;
      }
    });
  }
}
