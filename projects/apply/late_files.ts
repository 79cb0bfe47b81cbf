/** Files that cannot be read when an apply is taken up: a disk may be mounted, or the store back, a moment later. */

import { isStoreAway, ServiceError } from "../../core/error.ts";
import { Lru } from "../../core/lru.ts";
import type { ApplyRecord } from "../../core/applies.ts";
import type { AppliesOptions } from "./applies_options.ts";
import type { ApplyResume } from "./apply_shape.ts";
import { progressOf } from "./journal.ts";
import { failureOf } from "./left_behind.ts";
import type { Sources } from "./orders.ts";

/** Applies whose files are waited for. */
const MOST_LATE = 1_000;

interface Late {
  readonly until: number;
  /** The answer of the person who resumed the apply. */
  readonly hooks: ApplyResume["hooks"];
}

export class LateFiles {
  readonly #late = new Lru<Late>(MOST_LATE);

  /** The milliseconds `awayMs` are those that files may stay unreadable before a person has to decide. */
  constructor(
    private readonly options: Pick<AppliesOptions, "sources" | "store" | "log">,
    private readonly awayMs: number,
  ) {}

  /** Reads the files of an apply; null where its workspace or group is gone, and the error where they cannot be read now. */
  async read(
    record: ApplyRecord,
    hooks: ApplyResume["hooks"],
  ): Promise<Sources | ServiceError | null> {
    const { sources, log } = this.options;
    const { workspace, group } = record;
    const place = placeOf(record);
    try {
      const read = await sources(workspace, group);
      this.#late.delete(place);
      return read;
    } catch (error) {
      if (error instanceof ServiceError && error.code === "workspace_not_found") return null;
      const before = this.#late.get(place)?.until ?? Infinity;
      const until = isStoreAway(error) ? Infinity : Math.min(before, performance.now() + this.awayMs);
      this.#late.set(place, { until, hooks });
      if (error instanceof ServiceError) return error;
      log.error("The files of an apply cannot be read", { apply: record.id, error });
      return new ServiceError("internal", "berth failed as it read its files; its log says why");
    }
  }

  /** Returns the answer of the person who resumed an apply whose files are waited for. */
  hooksOf(record: ApplyRecord): ApplyResume["hooks"] {
    return this.#late.get(placeOf(record))?.hooks;
  }

  /**
   * Settles the swaps in hand of an apply whose files could not be read. Returns true once a person has to decide: they
   * stay unreadable, or a swap was turned back, so that the apply could only fail. Throws while the store is away.
   */
  async mustPause(
    record: ApplyRecord,
    error: ServiceError,
    settle: () => Promise<unknown>,
  ): Promise<boolean> {
    if (isStoreAway(error)) throw error;
    await settle();
    if (performance.now() > (this.#late.get(placeOf(record))?.until ?? 0)) return true;
    return failureOf(await progressOf(this.options.store, record.id)) !== null;
  }
}

const placeOf = ({ id, epoch }: ApplyRecord): string => `${id} ${epoch}`;
