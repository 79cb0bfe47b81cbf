/** The registry credentials of applies: in memory, for as long as this replica may carry them out. */

import type { ApplyStore } from "../../core/applies.ts";
import type { RegistryLogin } from "../../core/engine_acts.ts";
import type { ApplyRequest } from "./apply_shape.ts";

export class Logins {
  readonly #held = new Map<string, ApplyRequest["registries"]>();

  /** Told by `isFree` that nobody works at an apply here, or is about to. */
  constructor(
    private readonly store: Pick<ApplyStore, "get">,
    private readonly owner: string,
    private readonly isFree: (id: string) => boolean,
  ) {}

  hold(id: string, registries: ApplyRequest["registries"]): void {
    if (Object.keys(registries).length > 0) this.#held.set(id, registries);
  }

  for(id: string, host: string): RegistryLogin | undefined {
    return this.#held.get(id)?.[host];
  }

  /**
   * Forgets those of an apply that is over, or that another replica carries out. A paused one may need them once more, and
   * one that the store cannot tell of may go on here: it is looked at again later.
   */
  async forgetOver(id: string): Promise<void> {
    if (!this.#held.has(id) || !this.isFree(id)) return;
    const record = await this.store.get(id).catch(() => undefined);
    if (record === undefined) return;
    const mayNeed = record?.state === "paused" || record?.state === "running" && record.owner === this.owner;
    if (!mayNeed && this.isFree(id)) this.#held.delete(id);
  }

  /** Does so for each apply. */
  async forgetAllOver(): Promise<void> {
    for (const id of this.#held.keys()) await this.forgetOver(id);
  }
}
