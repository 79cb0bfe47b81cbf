/** The stream routes before one engine alone, which resolves ids and names itself. */
import { type FindLive, readLive } from "../../plugins/containers/backends/live_container.ts";
import type { WhileSeen } from "../../plugins/containers/backends/while_seen.ts";
import type { Engine } from "../../engines/calls/engine.ts";

export function findOn(engine: Engine): FindLive {
  return (_reach, wanted, _backend, doing, signal) => readLive(engine, wanted, doing, signal);
}

/** Every container stays in the scope of its reader. */
export const staysSeen: WhileSeen = () => ({ [Symbol.dispose]: () => {} });
