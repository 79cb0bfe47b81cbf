/** Engines that are configured twice: one link has the engine, and each other one says so instead of showing it again. */
import { boundedWait } from "../../core/pause.ts";
import { Latch } from "../../core/signal.ts";
import type { EngineAddress } from "../calls/address.ts";
import type { Engine } from "../calls/engine.ts";
import type { EngineKind } from "../calls/greeting.ts";
import { placeOf } from "./discovery.ts";
import { WayFailure } from "./way.ts";

/** Milliseconds that a link gives those before it to say which engine they have. */
const OTHERS_MS = 1_000;

/** One link's part in it. */
export interface Twin {
  readonly name: string;
  /** Open when it is known which engine it has, or that this cannot be known now. */
  readonly introduced: Latch;
}

export class Twins {
  readonly #all: Twin[] = [];
  readonly #identities = new Map<Twin, string>();

  join(name: string): Twin {
    const twin = { name, introduced: new Latch() };
    this.#all.push(twin);
    return twin;
  }

  /** Throws `WayFailure` if another link has the same engine. Of links that begin together the first one has it. */
  async claim(twin: Twin, engine: Engine, kind: EngineKind, address: EngineAddress): Promise<void> {
    if (this.#all.length < 2) return;
    this.#identities.delete(twin);
    const before = this.#all.slice(0, this.#all.indexOf(twin)).map(({ introduced }) => introduced.opened);
    await boundedWait(Promise.all(before), OTHERS_MS);
    const identity = await identityOf(engine, kind, address);
    if (identity === null) return;
    for (const [{ name }, its] of this.#identities) {
      if (its === identity) throw new TwinFailure(name);
    }
    this.#identities.set(twin, identity);
  }
}

/** Nothing changes until somebody changes the settings, or the other engine. */
export class TwinFailure extends WayFailure {
  constructor(other: string) {
    super(
      "refused",
      `it is the engine "${other}" by another address; take one of the two out of the setting BERTH_ENGINES`,
    );
  }
}

/** Podman makes up another id for each answer, so a local one is known by its socket alone. */
async function identityOf(
  engine: Engine,
  kind: EngineKind,
  address: EngineAddress,
): Promise<string | null> {
  if (kind === "docker") return await engine.identity().catch(() => null);
  return address.kind === "unix" ? await placeOf(address) : null;
}
