/** Tells the execs of health checks from those that people start: an engine announces both alike. */
import type { RawEvent } from "./event_feed.ts";

/** Health checks that run at the same time, at most; more than any engine runs. */
const MAX_RUNNING = 4_096;

export class HealthExecs {
  readonly #running = new Set<string>();

  /** Returns true if the event is about an exec of the container's health check. `command` is that of the check. */
  includes(
    { action, command, attributes: { execID = "" } }: RawEvent,
    healthCommand: string | null,
  ): boolean {
    if (!action.startsWith("exec_")) return false;
    if (command !== undefined && command === healthCommand) {
      if (execID !== "" && this.#running.size < MAX_RUNNING) this.#running.add(execID);
      return true;
    }
    return action === "exec_die" ? this.#running.delete(execID) : this.#running.has(execID);
  }
}
