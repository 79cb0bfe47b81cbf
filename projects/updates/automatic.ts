/** Updates that berth begins by itself: where a person said so, in its window, one project after the other. */
import type { Log } from "../../core/log.ts";
import { pause } from "../../core/pause.ts";
import type { ProjectUpdates } from "../../core/updates.ts";
import { type KnownUpdates, projectKey, type Updates } from "./updates.ts";
import { openSince } from "./window.ts";

const LOOK_MS = 60_000;
/** The time after which a project with nothing to do is looked at again: its containers change without a registry. */
const AGAIN_MS = 10 * LOOK_MS;
/** The time after which an update whose apply failed is begun again, whatever is known meanwhile. */
const FAILED_AGAIN_MS = 60 * LOOK_MS;
const LEASE_MS = 10 * LOOK_MS;
const DAY_MS = 24 * 60 * LOOK_MS;

/** `wentBack`: the old image runs again. */
export type UpdateOutcome =
  | { readonly kind: "nothing" | "done" }
  /** It was begun, and no container changed. */
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "waits" | "wentBack"; readonly reason: string };

export interface AutomaticTimes {
  /** The milliseconds from one look to the next. */
  readonly lookMs?: number;
}

interface AutomaticOptions extends AutomaticTimes {
  readonly updates: Updates;
  /** Resolves to true for the one replica that updates; asked again while an update goes on. */
  readonly isOurTurn: (ms: number) => Promise<boolean>;
  /** Updates a project with the rights that its person holds now, and returns once that is over. */
  readonly update: (
    of: ProjectUpdates,
    stillOurs: () => Promise<boolean>,
    signal: AbortSignal,
  ) => Promise<UpdateOutcome>;
  readonly log: Pick<Log, "warn" | "info">;
  readonly now: () => number;
}

export class AutomaticUpdates implements AsyncDisposable {
  readonly #over = new AbortController();
  readonly #running: Promise<void>;
  /** When a project had nothing to do, and what was known then. */
  readonly #idle = new Map<string, { readonly known: KnownUpdates; readonly at: number }>();
  /** The time at which an update failed, and its reason: until somebody sets its project, which takes the reason away. */
  readonly #failed = new Map<string, { readonly waits: string | null; readonly at: number }>();

  constructor(private readonly options: AutomaticOptions) {
    this.#running = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#over;
    const { lookMs = LOOK_MS, log } = this.options;
    for (; !signal.aborted; await pause(lookMs, signal)) {
      try {
        await this.#look();
      } catch (error) {
        if (!signal.aborted) log.warn("Images cannot be updated automatically", { error: String(error) });
      }
    }
  }

  /** Updates what is due, and ends at the first that went back. */
  async #look(): Promise<void> {
    const { updates, isOurTurn, now } = this.options;
    const known = await updates.current();
    const due = known.enabled ? [...known.projects.values()].filter((one) => this.#isDue(one, known)) : [];
    for (const one of due) {
      if (this.#over.signal.aborted || !await isOurTurn(LEASE_MS)) return;
      // One that went back meanwhile, in this look or through another replica, ends it.
      const { projects } = await updates.current();
      const since = openSince(one.window, now());
      const today = projects.get(projectKey(one));
      if (since === null || today?.automatic !== true) continue;
      const wentBackAt = lastBack(projects);
      if (wentBackAt < since) await this.#update(today, known);
      // The one that went back has its own reason.
      else if ((today.wentBackAt ?? -Infinity) < since) await this.#wait(today, wentBackAt);
    }
  }

  /** Says of a project that it waits for the time after one that went back. */
  async #wait(of: ProjectUpdates, lastBackAt: number): Promise<void> {
    const until = of.window === null
      ? `until ${new Date(lastBackAt + DAY_MS).toISOString()}`
      : "until its window opens again";
    const waits = `an update of another project went back to its old image: this one waits ${until}`;
    if (waits === of.waits) return;
    await this.options.updates.noteProject(of, { waits, wentBackAt: of.wentBackAt });
  }

  #isDue(of: ProjectUpdates, known: KnownUpdates): boolean {
    const { now, lookMs = LOOK_MS } = this.options;
    if (!of.automatic || openSince(of.window, now()) === null) return false;
    const failed = this.#failed.get(projectKey(of));
    if (failed?.waits === of.waits && now() < failed.at + FAILED_AGAIN_MS * (lookMs / LOOK_MS)) return false;
    const idle = this.#idle.get(projectKey(of));
    return idle === undefined || idle.known !== known || now() >= idle.at + AGAIN_MS * (lookMs / LOOK_MS);
  }

  async #update(of: ProjectUpdates, known: KnownUpdates): Promise<void> {
    const { updates, update, isOurTurn, now, log } = this.options;
    const outcome = await update(of, () => isOurTurn(LEASE_MS), this.#over.signal);
    if (this.#over.signal.aborted) return;
    if (outcome.kind !== "nothing") {
      log.info("A project was updated automatically", { project: projectKey(of), outcome: outcome.kind });
    }
    const waits = "reason" in outcome ? outcome.reason.slice(0, MOST_REASON) : null;
    const wentBackAt = outcome.kind === "wentBack" ? now() : of.wentBackAt;
    const isOther = waits !== of.waits || wentBackAt !== of.wentBackAt;
    if (isOther) await updates.noteProject(of, { waits, wentBackAt });
    this.#failed.delete(projectKey(of));
    if (outcome.kind === "done") return;
    if (outcome.kind === "failed") this.#failed.set(projectKey(of), { waits, at: now() });
    this.#idle.set(projectKey(of), { known: isOther ? await updates.current() : known, at: now() });
  }
}

/** Characters of the reason that an update waits. */
const MOST_REASON = 500;

/** Returns when an update of any project last went back; `-Infinity` for never. */
const lastBack = (projects: KnownUpdates["projects"]): number =>
  Math.max(-Infinity, ...[...projects.values()].map(({ wentBackAt }) => wentBackAt ?? -Infinity));
