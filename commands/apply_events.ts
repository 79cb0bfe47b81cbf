/** The events of an apply across connections that break: the apply goes on in berth, and so does whoever follows it. */
import { APPLY, APPLY_EVENTS, type ApplyEvent } from "../client/berth/applies.ts";
import type { Apply } from "../client/berth/models.ts";
import type { Client } from "../client/mod.ts";
import { stream } from "../client/stream.ts";
import { pause } from "../core/pause.ts";
import { AWAY_MS, mayPass } from "./connection.ts";

const AGAIN_MS = 1_000;
/** Seconds of silence after which the connection may be half open: asking again costs little. */
const SILENT_S = 60;
/** Connections in a row that end at once and bring nothing, while berth answers. */
const MOST_EMPTY = 30;

export class ApplyFollower {
  /** The place of the last event in the journal. */
  #place = 0;

  constructor(
    private readonly client: Client,
    private readonly id: string,
    private readonly awayMs = AWAY_MS,
  ) {}

  /**
   * Yields each event once, to the end of the apply or to where it waits for a person, and returns the apply as it is then.
   * It is `running` where berth answers and its events do not come. Throws what a call throws that is refused, and whose
   * berth stays away.
   */
  async *events(): AsyncGenerator<ApplyEvent, Apply> {
    for (let empty = 0;;) {
      const [before, since] = [this.#place, performance.now()];
      const isTold = yield* this.#connection();
      const apply = await this.#now();
      if (isTold && apply.state !== "running") return apply;
      if (isTold) continue; // somebody has resumed it
      const isEmpty = this.#place === before && performance.now() - since < SILENT_S * 1_000;
      empty = isEmpty ? empty + 1 : 0;
      if (empty >= MOST_EMPTY) return apply;
      await pause(AGAIN_MS);
    }
  }

  /** Returns false for a connection that breaks, or ends before the apply does. */
  async *#connection(): AsyncGenerator<ApplyEvent, boolean> {
    const { client, id } = this;
    const query = this.#place === 0 ? {} : { after: this.#place };
    try {
      const options = { as: "ndjson", params: { id }, query, idleTimeoutS: SILENT_S } as const;
      for await (const event of stream(client, APPLY_EVENTS, options)) {
        if ("id" in event) this.#place = event.id;
        yield event;
        if (event.kind === "end" || (event.kind === "state" && event.state === "paused")) return true;
      }
    } catch (error) {
      if (!mayPass(error)) throw error;
    }
    return false;
  }

  /** Returns the apply as it is now. Waits for a berth that is away. */
  async #now(): Promise<Apply> {
    const end = performance.now() + this.awayMs;
    for (;;) {
      try {
        return (await this.client.get(APPLY, { params: { id: this.id } })).json();
      } catch (error) {
        if (!mayPass(error) || performance.now() > end) throw error;
      }
      await pause(AGAIN_MS);
    }
  }
}
