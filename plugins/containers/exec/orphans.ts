/** Remembers commands in the store, so that none outlives its terminal unnoticed: not even when berth is killed. */
import { ServiceError } from "../../../core/error.ts";
import type { Log } from "../../../core/log.ts";
import { pause } from "../../../core/pause.ts";
import type { CommandRecord, CommandStore } from "../../../core/store.ts";
import { readLive } from "../backends/live_container.ts";
import type { Engine } from "../../../engines/calls/engine.ts";
import { inspectCommand, isLeftInside, stillRuns } from "./command.ts";
import type { MadeCommand } from "./exec_session.ts";

/** A berth that has not said for so long that it holds a command is gone. */
const HOLD_MS = 12_000;
const HOLD_EVERY_MS = 3_000;
/** Commands that are looked after at the same time. */
const AT_ONCE = 8;
/** A command that an engine has not started for so long, it never will. */
const UNSTARTED_MS = 600_000;

interface Orphan {
  readonly execId: string;
  readonly container: string;
  readonly backend: string;
  readonly since: string;
}

export interface OrphansOptions {
  readonly store: CommandStore;
  /** The engine of that name, if it answers. */
  readonly engineOf: (name: string) => Engine | null;
  readonly log: Log;
  readonly holdEveryMs?: number;
}

export class Orphans implements AsyncDisposable {
  readonly #options: OrphansOptions;
  /** The marks of commands that have a terminal here. */
  readonly #held = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #watching: Promise<unknown>;

  constructor(options: OrphansOptions) {
    this.#options = options;
    // Apart, because an engine that hangs keeps a look waiting for longer than a hold lasts
    this.#watching = Promise.all([this.#repeat(() => this.#hold()), this.#repeat(() => this.#look())]);
  }

  /** Remembers a command before it starts. */
  async begin(command: MadeCommand): Promise<void> {
    await this.#options.store.add({ ...command, heldUntil: await this.#now() + HOLD_MS, hungUp: false });
    this.#held.add(command.mark);
  }

  /** The command has ended. */
  async ended(mark: string): Promise<void> {
    this.#held.delete(mark);
    await this.#options.store.forget(mark).catch(() => {}); // a later look finds that it has ended
  }

  /** The command has no terminal any more and may still run. */
  async left(mark: string, hungUp: boolean): Promise<void> {
    this.#held.delete(mark);
    try {
      await this.#options.store.leave(mark, await this.#now(), hungUp);
    } catch { // nobody holds it any more, soon
    }
  }

  /** The commands without a terminal that still run in this container, by the engine's present answer. */
  async of(containerId: string): Promise<Orphan[]> {
    const left = (await this.#left()).filter(({ container }) => container === containerId);
    const found: (Orphan | null)[] = [];
    for (let at = 0; at < left.length; at += AT_ONCE) {
      found.push(...await Promise.all(left.slice(at, at + AT_ONCE).map((one) => this.#stillThere(one))));
    }
    return found.filter((one) => one !== null);
  }

  async #stillThere(command: CommandRecord): Promise<Orphan | null> {
    const { container, execId, backend, heldUntil, mark } = command;
    const engine = this.#options.engineOf(backend);
    if (engine === null || !await isGone(engine, command)) {
      return { execId, container, backend, since: new Date(heldUntil).toISOString() };
    }
    await this.ended(mark);
    return null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
  }

  async #repeat(act: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await act().catch((error) => this.#note(error));
      await pause(this.#options.holdEveryMs ?? HOLD_EVERY_MS, signal);
    }
  }

  #note(error: unknown): void {
    if (!(error instanceof ServiceError)) this.#options.log.error("Cannot look for commands", { error });
  }

  /** Says which commands have a terminal here. */
  async #hold(): Promise<void> {
    if (this.#held.size > 0) await this.#options.store.hold([...this.#held], await this.#now() + HOLD_MS);
  }

  /** Looks after the commands that have no terminal. An engine that does not answer delays its own alone. */
  async #look(): Promise<void> {
    const { signal } = this.#stopping;
    const engines = Map.groupBy(await this.#left(), ({ backend }) => backend);
    await Promise.all(
      engines.values().map(async (left) => {
        for (let at = 0; at < left.length && !signal.aborted; at += AT_ONCE) {
          const looks = left.slice(at, at + AT_ONCE).map((command) => this.#lookAfter(command));
          await Promise.all(looks.map((look) => look.catch((error) => this.#note(error))));
        }
      }),
    );
  }

  /** One that was held here is ours, however long this process stood still. */
  async #left(): Promise<CommandRecord[]> {
    return (await this.#options.store.left(await this.#now())).filter(({ mark }) => !this.#held.has(mark));
  }

  async #now(): Promise<number> {
    return await this.#options.store.now?.() ?? Date.now();
  }

  /** Hangs up a command once, and forgets it when it has ended. */
  async #lookAfter(command: CommandRecord): Promise<void> {
    const engine = this.#options.engineOf(command.backend);
    if (engine === null) return; // it is looked after when its engine answers
    const { mark, execId, container, hungUp, heldUntil } = command;
    const state = await stateOf(engine, container);
    if (state === "ended") return await this.ended(mark);
    if (state === "paused") return;
    if (hungUp) return await isGone(engine, command) ? await this.ended(mark) : undefined;
    // An engine may have its start before it, and a look inside would come too early
    if (await this.#now() - heldUntil < UNSTARTED_MS && await isUnstarted(engine, execId)) return;
    const about = { backend: command.backend, container, execId };
    if (await isLeftInside(engine, command, "HUP") ?? await stillRuns(engine, execId)) {
      await this.#options.store.leave(mark, heldUntil, true);
      this.#options.log.warn(
        "A command has lost its terminal and does not end; its orphans are listed",
        about,
      );
    } else {
      await this.ended(mark);
      this.#options.log.warn("A command had lost its terminal and was hung up", about);
    }
  }
}

async function isUnstarted(engine: Engine, execId: string): Promise<boolean> {
  const state = await inspectCommand(engine, execId);
  return state !== null && !state.running && !state.isOver;
}

/** Checks inside the container what the engine says; false where the engine cannot be asked. */
async function isGone(engine: Engine, command: CommandRecord): Promise<boolean> {
  const state = await inspectCommand(engine, command.execId).catch(() => undefined);
  if (state === undefined || state?.running || state?.isOver === false) return false;
  try {
    if (await stateOf(engine, command.container) === "ended") return true;
  } catch {
    return false;
  }
  return await isLeftInside(engine, command, "0") !== true;
}

/** Of the container. Throws what the engine says when it cannot be asked. */
async function stateOf(engine: Engine, container: string): Promise<"running" | "paused" | "ended"> {
  try {
    const live = await readLive(engine, container, "look for a command");
    return live.paused ? "paused" : live.running ? "running" : "ended";
  } catch (error) {
    if (error instanceof ServiceError && error.code === "container_not_found") return "ended";
    throw error;
  }
}
