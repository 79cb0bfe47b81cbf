/** The stream routes before one engine alone, which resolves ids and names itself. */
import { type FindLive, readLive } from "../plugins/container-runtime/backends/live_container.ts";
import type { Engine } from "../plugins/container-runtime/engine/engine.ts";

export function findOn(engine: Engine): FindLive {
  return (_reach, wanted, _backend, doing, signal) => readLive(engine, wanted, doing, signal);
}
