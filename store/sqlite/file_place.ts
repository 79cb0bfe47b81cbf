/** Whether the files of a store still lie where it was opened: what is written to others is gone at the end. */
import { ServiceError } from "../../core/error.ts";

/** The write-ahead log holds what was written last, so it counts as much as the file. */
const PARTS = ["", "-wal"];

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

  /** Throws `store_unavailable` where one of them was moved, removed or replaced since. */
  check(): void {
    const now = this.#look();
    if (this.#identities.every((identity, part) => identity === now[part])) return;
    throw new ServiceError(
      "store_unavailable",
      "Cannot use the store: its file was moved, removed or replaced; put it back, or restart berth",
    );
  }

  #look(): (string | null)[] {
    return PARTS.map((part) => {
      try {
        const { dev, ino } = Deno.statSync(this.#path + part);
        return `${dev}:${ino}`;
      } catch {
        return null;
      }
    });
  }
}
