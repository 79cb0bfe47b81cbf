/** The identities of the files and folders that containers mounted when they started, as far as berth was there. */
import { bindSourceAt } from "../../core/bind_source.ts";
import { STARTED_WITHIN_MS } from "../../core/runtime.ts";
import type { ContainerRow } from "../rows/container.ts";

interface Start {
  readonly startedAt: string;
  /** By the path of the source. */
  readonly identities: Promise<ReadonlyMap<string, string>>;
}

/** Containers that are remembered; the oldest starts are forgotten first. */
const MOST = 10_000;

export class SourcesAtStart {
  readonly #starts = new Map<string, Start>();

  /** Looks at the sources of a container that has just started. What started long ago may have been replaced since. */
  note({ id, startedAt, state, mounts }: ContainerRow): void {
    if (startedAt === null || this.#starts.get(id)?.startedAt === startedAt) return;
    this.#starts.delete(id);
    const age = Date.now() - Date.parse(startedAt);
    if (state !== "running" || !(age >= 0 && age < STARTED_WITHIN_MS)) return;
    const sources = mounts.flatMap(({ type, source }) => type === "bind" ? [source] : []);
    if (sources.length === 0) return;
    this.#starts.set(id, { startedAt, identities: identitiesOf(sources) });
    if (this.#starts.size > MOST) this.#starts.delete(this.#starts.keys().next().value!); // there is one at least
  }

  clear(): void {
    this.#starts.clear();
  }

  /** Empty where berth did not see this start. */
  async of(id: string, startedAt: string | null): Promise<ReadonlyMap<string, string>> {
    const start = this.#starts.get(id);
    return start !== undefined && start.startedAt === startedAt ? await start.identities : new Map();
  }
}

async function identitiesOf(sources: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const source of sources) {
    const now = await bindSourceAt(source);
    if (now !== null && now !== "absent") found.set(source, now.identity);
  }
  return found;
}
