/** One socket that says when something has changed, and since when it does not say so any more. */
import { effect, signal } from "@preact/signals";
import { TERMINAL_COMPOSE_LOGS } from "../../client/berth/terminal.ts";
import { connect } from "../../client/connect.ts";
import { client, may, who } from "./session.ts";

/** Counts up when what the engines run may be another. */
export const changes = signal(0);
/** Null before the first connection; a time since when the page is not live. */
export const link = signal<{ readonly live: boolean; readonly since: number } | null>(null);

/** Several events in a row are one change. */
const GATHER_MS = 200;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Says that something may have changed, as after an action of one's own. */
export function changed(): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    changes.value++;
  }, GATHER_MS);
}

/** Watches while somebody is signed in who may. */
export function watch(): void {
  let ending: AbortController | null = null;
  effect(() => {
    const principal = who.value;
    ending?.abort();
    ending = null;
    if (!principal || !may("events:read")) return;
    ending = new AbortController();
    void follow(ending.signal);
  });
}

async function follow(signal: AbortSignal): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    try {
      await using socket = await connect(client, TERMINAL_COMPOSE_LOGS, {
        query: { events: true, logs: false },
        signal,
      });
      for await (const message of socket) {
        if (message instanceof Uint8Array) continue;
        // What was missed while the socket was down is read anew; before the first there was nothing to miss.
        if (message.type !== "hello" || link.value !== null) changed();
        if (message.type === "hello") {
          link.value = { live: true, since: Date.now() };
          pause = FIRST_PAUSE_MS;
        }
      }
    } catch {
      // whatever ended it, the next try says whether it can be had
    }
    if (signal.aborted) return;
    if (link.value?.live !== false) link.value = { live: false, since: Date.now() };
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}
