/** Brings what waits in the outbox to its targets: one replica at a time, one message a target at a time. */
import {
  BERTH_SUBJECT,
  type Incident,
  type IncidentState,
  type IncidentStore,
  type IncidentSubject,
} from "../../core/incidents.ts";
import { Reach, type Subject } from "../../core/access.ts";
import type { Log } from "../../core/log.ts";
import type { MuteRecord, MuteStore } from "../../core/mutes.ts";
import type { Batch, NoticeRecord, NoticeStore } from "../../core/notices.ts";
import { pause } from "../../core/pause.ts";
import { isFirstWatch, isFor, mostDelayOf, targetOf, withTellings } from "../watch/tellings.ts";
import type { Message } from "./message.ts";
import type { Attempt, Notices } from "./notices.ts";
import { isQuiet } from "../watch/quiet.ts";

export interface SenderTimes {
  readonly tickMs: number;
  /** One message of a target in this time at most: all that is due becomes one. */
  readonly foldMs: number;
  /** The waits before each further attempt; the last one is repeated. */
  readonly retryMs: readonly number[];
  /** A message that was not taken for this long is dead. */
  readonly deadMs: number;
}

const MINUTE_MS = 60_000;
const TIMES: SenderTimes = {
  tickMs: 500,
  foldMs: 30_000,
  retryMs: [5_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 60 * MINUTE_MS],
  deadMs: 24 * 60 * MINUTE_MS,
};
const MOST_REFUSALS = 3;
/** A server that lets a recipient wait before its first mail takes it within minutes. */
const PATIENT_ATTEMPTS = 4;
/** Looks that are left out while no target is set, and the interval of asking for the turn of another replica. */
const IDLE_LOOKS = 10;
const ASK_MS = 2_000;
/** The lease for sending, and the interval of its renewal: as the watcher's, so that both are taken over together. */
const TURN_MS = 15_000;
const TURN_AGAIN_MS = 5_000;
/** The interval of looking for waits that another clock has written. */
const BOUND_EVERY_MS = 60_000;
const FORGET_EVERY_MS = 3_600_000;
const DEAD_KEPT_MS = 7 * 86_400_000;

interface SenderOptions {
  readonly store: NoticeStore;
  readonly mutes: Pick<MuteStore, "list">;
  readonly incidents: IncidentStore;
  readonly notices: Notices;
  /** Returns the subjects of all units that are declared now. */
  readonly units: () => Promise<readonly Subject[]>;
  readonly isOurTurn: (ms: number) => Promise<boolean>;
  readonly now: () => number;
  /** The time by a clock that never steps: what waits, waits by it. */
  readonly steady: () => number;
  readonly base: string | null;
  readonly log: Log;
  readonly times?: Partial<SenderTimes> | undefined;
}

export class Sender implements AsyncDisposable {
  readonly #options: SenderOptions;
  readonly #times: SenderTimes;
  readonly #over = new AbortController();
  readonly #running: Promise<void>;
  #wake: () => void = () => {};
  /** Deliveries under way, by target. */
  readonly #busy = new Map<string, Promise<void>>();
  /** When each target last took a message, on the clock that never steps. */
  readonly #sentAt = new Map<string, number>();
  /** The batch that each target took last, until the store has noted that. */
  readonly #taken = new Map<string, string>();
  /** The time, on the same clock, at which the store did not note how a delivery ended. */
  readonly #failedAt = new Map<string, number>();
  /** The targets of the last look. */
  #ids: string | null = null;
  #turnAt = -Infinity;
  #forgotAt = -Infinity;
  #boundAt = -Infinity;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#running = this.#run();
  }

  /** True while this replica sends. */
  get isSending(): boolean {
    return this.#turnAt > -Infinity;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#running;
    await Promise.all(this.#busy.values());
  }

  async #run(): Promise<void> {
    const { signal } = this.#over;
    let isFailing = false;
    while (!signal.aborted) {
      let waitMs = this.#times.tickMs;
      const woken = Promise.withResolvers<void>();
      this.#wake = woken.resolve;
      try {
        waitMs = Math.max(await this.#tick(), this.#times.tickMs);
        isFailing = false;
      } catch (error) {
        if (!isFailing) this.#options.log.warn("Notices cannot be sent now: berth tries again", { error });
        isFailing = true;
      }
      await pause(waitMs, signal, woken.promise);
    }
  }

  /** Looks at once: something new may be due. */
  wake(): void {
    this.#wake();
  }

  /** Returns the time until the next look at least. */
  async #tick(): Promise<number> {
    const { store, isOurTurn, now, steady } = this.#options;
    if (performance.now() - this.#turnAt >= TURN_AGAIN_MS) {
      this.#turnAt = await isOurTurn(TURN_MS) ? performance.now() : -Infinity;
    }
    if (!this.isSending) return ASK_MS;
    const notices = await store.list();
    const ids = notices.map(({ id }) => id).join();
    if (ids !== this.#ids) await this.#closeGone(notices);
    this.#ids = ids;
    if (performance.now() - this.#boundAt >= BOUND_EVERY_MS) await this.#bound(notices);
    const due = new Set(notices.length === 0 ? [] : await store.due(steady()));
    let mutes: readonly MuteRecord[] | null = null;
    for (const notice of notices) {
      if (!due.has(notice.id)) continue;
      if (this.#busy.has(notice.id) || notice.quiet !== null && isQuiet(notice.quiet, now())) continue;
      const last = this.#sentAt.get(notice.id) ?? -Infinity;
      if (performance.now() - last < this.#times.foldMs) continue;
      const failed = this.#failedAt.get(notice.id) ?? -Infinity;
      if (performance.now() - failed < (this.#times.retryMs[0] ?? 0)) continue;
      const taken = this.#taken.get(notice.id);
      if (taken !== undefined) await this.#noteTaken(notice, taken, notices);
      mutes ??= await this.#options.mutes.list(now());
      const batch = await store.take(notice.id, steady(), crypto.randomUUID(), mutes);
      if (batch === null) continue;
      const work = this.#deliver(notice, batch, notices).catch((error) => {
        // Nothing could be noted: the batch is due at once, and its target is left alone all the same.
        this.#failedAt.set(notice.id, performance.now());
        this.#options.log.warn("A notice could not be noted: berth tries again", {
          notice: notice.name,
          error,
        });
      }).finally(() => this.#busy.delete(notice.id));
      this.#busy.set(notice.id, work);
    }
    if (performance.now() - this.#forgotAt >= FORGET_EVERY_MS) {
      this.#forgotAt = performance.now();
      await store.forgetDead(steady() - DEAD_KEPT_MS);
    }
    return notices.length > 0 ? 0 : IDLE_LOOKS * this.#times.tickMs;
  }

  /** Nothing waits for longer than it may, whatever clock another life or replica wrote it by. */
  async #bound(notices: readonly NoticeRecord[]): Promise<void> {
    const { store, steady } = this.#options;
    const bounds = notices.map((notice) => ({ id: notice.id, mostMs: mostDelayOf(notice) }));
    await store.bound(steady(), bounds, Math.max(...this.#times.retryMs));
    this.#boundAt = performance.now();
  }

  /** Closes the incidents of targets that were removed. */
  async #closeGone(notices: readonly NoticeRecord[]): Promise<void> {
    const { incidents, now } = this.#options;
    const known = new Set(notices.map(({ id }) => targetOf(id)));
    const gone = (await incidents.open()).filter(({ subject }) =>
      subject.kind === "berth" && subject.container !== null && !known.has(subject.container)
    );
    if (gone.length === 0) return;
    await incidents.write(gone.map((one) => ({
      incident: { ...one, closedAt: now(), end: "undeclared" as const },
      line: null,
    })));
  }

  async #deliver(notice: NoticeRecord, batch: Batch, notices: readonly NoticeRecord[]): Promise<void> {
    const { store, steady, log } = this.#options;
    const attempt = await this.#attempt(notice, batch);
    if (attempt.result === "taken") {
      this.#sentAt.set(notice.id, performance.now());
      this.#taken.set(notice.id, batch.id);
      const { problem } = attempt;
      if (problem !== null) log.warn("Not all recipients took a notice", { notice: notice.name, problem });
      return await this.#noteTaken(notice, batch.id, notices);
    }
    if (this.#over.signal.aborted) return; // it stopped, and the target is not to blame
    const next = nextOf(batch, attempt, steady(), this.#times);
    // First, so that no message is given up of which nobody is told: one that ends in between is tried once more.
    if (next.state === "dead") await this.#note(notice, attempt, notices);
    await store.failed(next);
    log.warn("A target did not take a notice", {
      notice: notice.name,
      problem: attempt.problem,
      attempts: next.attempts,
      isDead: next.state === "dead",
    });
  }

  async #attempt(notice: NoticeRecord, batch: Batch): Promise<Attempt> {
    const { incidents } = this.#options;
    const found: Incident[] = [];
    for (const id of batch.incidents) {
      const incident = await incidents.get(id);
      if (incident !== null) found.push(incident);
    }
    // The text is made now: no old one contradicts the present.
    const message = await this.#messageOf(notice, batch.id, found);
    return await this.#options.notices.send(
      notice,
      message,
      this.#over.signal,
      batch.attempts < PATIENT_ATTEMPTS,
    );
  }

  async #noteTaken(notice: NoticeRecord, batch: string, notices: readonly NoticeRecord[]): Promise<void> {
    await this.#options.store.sent(batch);
    this.#taken.delete(notice.id);
    await this.#note(notice, null, notices);
  }

  async #messageOf(notice: NoticeRecord, id: string, found: readonly Incident[]): Promise<Message> {
    const { incidents, units, base } = this.#options;
    const { firstMessage, messageOf } = await import("./message.ts");
    if (!found.some(isFirstWatch)) return messageOf(id, found, base);
    const own = (await units()).filter((unit) => notice.on.length === 0 || new Reach(notice.on).has(unit));
    const open = (await incidents.open()).filter((one) => isFor(notice, one));
    return firstMessage(id, own.length, open, base);
  }

  /** Opens the incident of a target that takes nothing, of which others are told, or closes it. */
  async #note(
    { id, name }: NoticeRecord,
    attempt: Attempt | null,
    notices: readonly NoticeRecord[],
  ): Promise<void> {
    const { incidents, now, steady } = this.#options;
    const subject: IncidentSubject = { ...BERTH_SUBJECT, container: targetOf(id) };
    const open = (await incidents.open()).find((one) =>
      one.subject.kind === "berth" && one.subject.container === subject.container
    );
    if (attempt === null) {
      if (open === undefined) return;
      await incidents.write([{ incident: { ...open, closedAt: now(), end: "well" }, line: null }]);
      return;
    }
    if (open !== undefined) return;
    const at = now();
    const reason = `the notice "${name}" was not taken: ${attempt.problem ?? "no answer"}`;
    const state: IncidentState = {
      kind: "berth",
      since: at,
      atLatest: false,
      cause: { kind: "engine", reason },
      fields: [],
    };
    const incident: Incident = {
      ...state,
      id: crypto.randomUUID(),
      subject,
      openedAt: at,
      closedAt: null,
      end: null,
      endings: 0,
      atFirst: false,
      lines: 1,
    };
    const change = { incident, line: { at, ...state } };
    await incidents.write([withTellings(change, null, notices, { at, mono: steady() })]);
    this.#ids = null; // the notice may have been removed meanwhile
  }
}

/** Returns the batch after an attempt that failed. */
function nextOf(
  { id, attempts, refusals, firstAt }: Batch,
  { result, problem }: Attempt,
  now: number,
  { retryMs, deadMs }: Pick<SenderTimes, "retryMs" | "deadMs">,
): Pick<Batch, "id" | "attempts" | "refusals" | "nextAt" | "state" | "problem"> {
  const refused = refusals + (result === "refused" ? 1 : 0);
  // A clock that was set between two lives is no reason: it was tried as often as in that time.
  const isLate = now - firstAt >= deadMs && attempts + 1 >= retryMs.length;
  const isDead = refused >= MOST_REFUSALS || isLate;
  const wait = retryMs[Math.min(attempts, retryMs.length - 1)] ?? 0;
  return {
    id,
    attempts: attempts + 1,
    refusals: refused,
    nextAt: now + wait,
    state: isDead ? "dead" : "waiting",
    problem,
  };
}
