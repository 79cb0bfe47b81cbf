/** The stream routes before one engine alone, which resolves ids and names itself. */
import { type FindLive, readLive } from "../../plugins/containers/backends/live_container.ts";
import type { Engine } from "../../engines/calls/engine.ts";

export function findOn(engine: Engine): FindLive {
  return (_reach, wanted, _backend, doing, signal) => readLive(engine, wanted, doing, signal);
}
