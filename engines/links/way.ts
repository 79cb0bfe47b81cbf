/** What must stand before an engine on another host can be called. */
import type { Engine } from "../calls/engine.ts";

/** Why there is no way to the engine. */
export class WayFailure extends Error {
  override readonly name = "WayFailure";
  /** `refused`: somebody has to change something first. */
  constructor(readonly kind: "refused" | "away", message: string) {
    super(message);
  }
}

export interface Way extends AsyncDisposable {
  /** Resolves when the engine can be called. Throws `WayFailure`, or what the signal says. */
  open(engine: Engine, signal: AbortSignal): Promise<void>;
  /** Why calls fail although the way stands, as far as it is known or said before the signal. */
  explain(signal: AbortSignal): Promise<WayFailure | null>;
}
