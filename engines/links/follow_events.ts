/** Reads the events of one connection into the engine's mirror and its feed, and compares on a clock what they miss. */
import type { Engine } from "../calls/engine.ts";
import type { EngineKind } from "../calls/greeting.ts";
import type { EventCheck } from "../mirror/event_check.ts";
import type { EventFeed } from "../mirror/event_feed.ts";
import { readEvents, type ToldEvents } from "../mirror/events.ts";
import type { HealthExecs } from "../mirror/health_execs.ts";
import type { Mirror } from "../mirror/mirror.ts";
import { isProbe } from "../mirror/probe.ts";

const SLOW_CLOCK_MS = 30_000;
/** Podman sends no events for networks, so its short list of them is polled. */
const PODMAN_NETWORKS_MS = 1_500;
/** Milliseconds until a failed list is asked for again. */
const AGAIN_MS = 1_000;

interface Followed {
  readonly engine: Engine;
  readonly kind: EngineKind;
  readonly mirror: Mirror;
  readonly feed: EventFeed;
  readonly told: ToldEvents;
  readonly healthExecs: HealthExecs;
  /** Called when the stream is open. Returns the check that it still delivers. */
  opened(): EventCheck;
  /** Called for every event that the engine sent. */
  counted(): void;
}

/** Reads until the engine or `signal` ends the stream. Throws only if it cannot be opened. */
export async function followEvents(followed: Followed, signal: AbortSignal): Promise<void> {
  const { engine, kind, mirror, feed, told, healthExecs } = followed;
  let check: EventCheck | null = null;
  const clocks: ReturnType<typeof setInterval>[] = [];
  try {
    await readEvents(engine, signal, told, {
      opened: () => {
        check = followed.opened();
        clocks.push(setInterval(() => mirror.compare(), SLOW_CLOCK_MS));
        clocks.push(setInterval(() => mirror.again(), AGAIN_MS));
        if (kind === "podman") clocks.push(setInterval(() => mirror.networks.compare(), PODMAN_NETWORKS_MS));
      },
      event: (event) => {
        followed.counted();
        check?.told(event);
        if (isProbe(event.attributes.name ?? "")) return;
        mirror.handle(event);
        const command = mirror.containers.rows.get(event.id)?.healthCommand ?? null;
        const isCheck = healthExecs.includes(event, command);
        feed.publish(engine.name, event, isCheck, mirror.about(event));
      },
    });
  } finally {
    for (const clock of clocks) clearInterval(clock);
  }
}
