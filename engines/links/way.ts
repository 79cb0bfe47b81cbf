/** The connection that must be open before an engine on another host can be called. */
import type { Engine } from "../calls/engine.ts";

/** The reason that an engine cannot be reached. */
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
  /** Resolves to the reason that calls fail although the way is open, if it is known before the signal. */
  explain(signal: AbortSignal): Promise<WayFailure | null>;
}
