/** Runs one hook. Whether it ran is written down before it starts, for it never runs a second time by itself. */

import type { Command, CommandEnd } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import { pause } from "../../core/pause.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { MASK } from "../../core/secrets.ts";
import type { Step } from "../plan/plan_shape.ts";
import { failed, type Hand } from "./hand.ts";
import { Cut, deathOf } from "./waiting.ts";

const MOST_MS = 10 * 60_000;
/** The milliseconds that a stopping service waits for a hook. */
const FAREWELL_MS = 3_000;
const LAST_LINES = 100;
/** The code of a process that was killed. */
const KILLED = 137;
/** Shorter values are found in any text. */
const LEAST_HIDDEN = 4;

/** There was nothing to do. */
export interface Skipped {
  readonly skipped: string;
}

/** Nobody knows whether the hook ended: a person has to say what becomes of it. */
export class NotKnown extends Error {
  constructor(readonly step: Step) {
    super(
      `Nobody knows whether ${named(step)} ended: look, and say whether it is run again or taken for done`,
    );
  }
}

/** Throws a `ServiceError` where it failed, `NotKnown`, and `Cut` where the service stops. */
export async function runHook(hand: Hand, container: InspectedContainer): Promise<void | Skipped> {
  const { step, orders, unknownHooks } = hand;
  if (hand.noted["started"] === true) {
    if (hand.isGivenUp) throw failed(`Nobody knows whether ${named(step)} ended`);
    if (unknownHooks === undefined) throw new NotKnown(step);
    if (unknownHooks === "done") return { skipped: "It was taken for done" };
    await hand.note({ started: false });
  }
  const skipped = await without(hand, container);
  if (skipped !== null) return skipped;
  const hook = orders.hook(step);
  const end = await ended(hand, container, hook);
  if ("skipped" in end) return end;
  const { code, isLate, lines } = end;
  if (lines.length > 0) await hand.keepLines(container.name, lines.map((line) => hidden(line, hook)));
  if (isLate) throw failed(`${named(step, "The")} did not end in time, and was told to`);
  if (code === 0) return;
  if (code !== null) {
    const death = code === KILLED ? await deathSoon(hand, container) : null;
    throw death ?? failed(`${named(step, "The")} ended with code ${code}`);
  }
  const now = await hand.acts.find(container.id);
  if (now?.state === "running") throw new NotKnown(step);
  throw endOf(now, hand, container);
}

/** Returns the end of a container that took its hook along: an engine tells the hook's end before it. */
async function deathSoon({ acts, stopping }: Hand, { id }: InspectedContainer): Promise<ServiceError | null> {
  for (let looks = 0; looks < 10 && !stopping.aborted; looks++) {
    const now = await acts.find(id);
    const death = now === null ? null : deathOf(now);
    if (death !== null) return death;
    await pause(200, stopping);
  }
  return null;
}

/** A container that does not run any more needs no hook before its stop; one that has to run does. */
async function without(hand: Hand, container: InspectedContainer): Promise<Skipped | null> {
  const now = await hand.acts.find(container.id);
  if (now?.state === "running") return null;
  if (hand.step.hook?.when === "preStop") return { skipped: `Its container is ${now?.state ?? "gone"}` };
  throw endOf(now, hand, container);
}

/** Returns the reason that the container cannot run it. */
const endOf = (now: InspectedContainer | null, { step }: Hand, { name }: InspectedContainer): ServiceError =>
  (now === null ? null : deathOf(now)) ??
    failed(`Cannot run ${named(step)}: container "${name}" is ${now?.state ?? "gone"}`);

async function ended(
  hand: Hand,
  container: InspectedContainer,
  hook: Command,
): Promise<CommandEnd | Skipped> {
  const { acts, step, work, stopping } = hand;
  const leaving = new AbortController();
  const over = new AbortController();
  const onStop = () => void pause(FAREWELL_MS, over.signal).then(() => leaving.abort());
  stopping.addEventListener("abort", onStop);
  let isStarted = false;
  try {
    return await acts.run(container.id, {
      ...hook,
      lines: LAST_LINES,
      mostMs: (work.timeouts.hook ?? 0) * 1_000 || MOST_MS,
      starting: async () => {
        await hand.note({ started: true });
        isStarted = true;
      },
      signal: leaving.signal,
    });
  } catch (error) {
    if (leaving.signal.aborted) throw new Cut();
    const isRefused = error instanceof ServiceError && !acts.isAway(error) &&
      error.code !== "store_unavailable";
    if (isStarted && !isRefused) throw new NotKnown(step);
    if (!isRefused) throw error;
    const skipped = await without(hand, container); // it may have ended a moment ago
    if (skipped === null) throw error;
    return skipped;
  } finally {
    stopping.removeEventListener("abort", onStop);
    over.abort();
  }
}

/** A line without what its environment holds. */
const hidden = (line: string, { environment }: Command): string =>
  environment.flatMap((one) => /^[^=]*=(.*)$/s.exec(one)?.[1] ?? []).filter((value) =>
    value.length >= LEAST_HIDDEN
  )
    .reduce((text, value) => text.replaceAll(value, MASK), line);

const MOST_WORDS = 200;

function named({ hook, target }: Step, article = "the"): string {
  const command = hook?.command.join(" ") ?? "";
  const shown = command.length > MOST_WORDS ? `${command.slice(0, MOST_WORDS)}…` : command;
  return `${article} hook "${shown}" of container "${target}"`;
}
