/** Learns which limits the kernel of an engine cannot hold: Docker takes them and leaves them out. */
import type { Engine } from "../../../engines/calls/engine.ts";
import { at } from "../../../engines/calls/path.ts";
import { objectOf } from "../../../engines/calls/wire.ts";

/** Milliseconds until an engine is asked again. Another kernel takes a restart of its machine. */
const KNOWN_MS = 600_000;
const FAILED_MS = 60_000;
/** A drift must not wait long for what is only a remark. */
const ASK_MS = 5_000;

/** The fields of a service by the setting of the engine that says if the kernel holds them. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  MemoryLimit: ["limits.memory", "limits.memoryReservation", "limits.memorySwap"],
  SwapLimit: ["limits.memorySwap"],
  OomKillDisable: ["limits.oomKillDisabled"],
  CPUShares: ["limits.cpuShares"],
  CPUSet: ["limits.cpuset"],
  CpuCfsPeriod: ["limits.cpuPeriod"],
  CpuCfsQuota: ["limits.cpuQuota"],
  PidsLimit: ["limits.pids"],
};

interface Known {
  readonly fields: Promise<ReadonlySet<string>>;
  until: number;
}

export class UnheldLimits {
  readonly #known = new WeakMap<Engine, Known>();

  /** None where the engine does not answer. */
  async of(engine: Engine): Promise<ReadonlySet<string>> {
    const known = this.#known.get(engine);
    if (known !== undefined && performance.now() < known.until) return await known.fields;
    const doing = `read the limits that engine "${engine.name}" can hold`;
    const asked: Known = {
      fields: engine.get(at`/info`, { doing, firstByteMs: ASK_MS }).then(unheldIn, () => {
        asked.until = performance.now() + FAILED_MS;
        return new Set<string>();
      }),
      until: performance.now() + KNOWN_MS,
    };
    this.#known.set(engine, asked);
    return await asked.fields;
  }
}

function unheldIn(answered: unknown): ReadonlySet<string> {
  const info = objectOf(answered);
  return new Set(
    Object.entries(FIELDS).flatMap(([setting, fields]) => info[setting] === false ? fields : []),
  );
}
