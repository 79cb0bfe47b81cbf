/** The applies of this berth: begun, followed, taken up again after a start, and given up to another replica. */

import type { ApplyQuery, ApplyRecord, ApplyWish } from "../../core/applies.ts";
import { ServiceError } from "../../core/error.ts";
import { pause } from "../../core/pause.ts";
import type { Apply, ApplyEvent, ApplyRequest, ApplyResume, ApplySummary } from "./apply_shape.ts";
import { type Applier, type AppliesOptions, toldOf } from "./applies_options.ts";
import { ApplyFeed } from "./feed.ts";
import { followApply } from "./follow.ts";
import { Journal, LostApply, progressOf, Unheeded } from "./journal.ts";
import { LateFiles } from "./late_files.ts";
import { Leases } from "./leases.ts";
import { InterruptedSwaps } from "./interrupted_swaps.ts";
import { wordsOfGivenUp } from "./left_behind.ts";
import { Logins } from "./logins.ts";
import { LostOwners } from "./lost_owners.ts";
import { ownerHere } from "./owner.ts";
import type { Run } from "./run.ts";
import { applyOf, summaryOf } from "./shown.ts";
import type { RunOptions } from "./run_options.ts";
import { SOUND_MS } from "./waiting.ts";
import { askToEnd, over } from "./wishes.ts";
import { isReadable, type Work, workOf } from "./work.ts";
import { Works } from "./works.ts";

/** A replica whose last heartbeat is older than this is considered dead. */
const LEASE_MS = 10_000;
const AWAY_MS = 120_000;
/** Heartbeats per lease time. */
const TICKS = 5;
/** An apply that stalled for longer than this is not resumed automatically. */
const STALE_MS = 60 * 60_000;
const NOT_READABLE =
  "Another version of berth wrote its journal, which this one cannot read: start what it left stopped, and abandon it";
const KEPT_MS = 90 * 24 * 60 * 60_000;
const FORGET_EVERY_MS = 60 * 60_000;
/** The milliseconds that a stop waits for calls that an engine has not answered. */
const STOP_MS = 4_000;

export class Applies implements AsyncDisposable {
  readonly #owner = ownerHere();
  readonly #feed = new ApplyFeed();
  readonly #works = new Works();
  readonly #logins: Logins;
  readonly #files: LateFiles;
  readonly #swaps: InterruptedSwaps;
  readonly #stopping = new AbortController();
  readonly #leaseMs: number;
  readonly #leases: Leases;
  readonly #lostOwners: LostOwners;
  readonly #ticking: Promise<void>;

  constructor(private readonly options: AppliesOptions) {
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    const lease = { store: options.store, owner: this.#owner, ms: this.#leaseMs };
    this.#lostOwners = new LostOwners(lease);
    this.#leases = new Leases({ ...lease, now: () => this.#sharedNow() });
    this.#swaps = new InterruptedSwaps({
      store: options.store,
      runtime: options.runtime,
      journalOf: (record) => this.#journal(record),
      assertHeld: (record) => this.#leases.assertHeld(record),
      seal: options.seal,
      stopping: this.#stopping.signal,
      awayMs: options.awayMs ?? AWAY_MS,
    });
    this.#logins = new Logins(options.store, this.#owner, (id) => this.#works.isFree(id));
    this.#files = new LateFiles(options, options.awayMs ?? AWAY_MS);
    this.#ticking = this.#tick();
  }

  /**
   * Begins to carry a plan out. `still` looks once more whether anything moved, now that nobody else may begin. Throws
   * `apply_running`, and what `still` throws.
   */
  async begin(
    work: Work,
    registries: ApplyRequest["registries"],
    { by, credential, entry }: Applier,
    still: () => Promise<void>,
  ): Promise<Apply> {
    const { store, now } = this.options;
    const { workspace, group, project, backend } = work.plan;
    const id = crypto.randomUUID();
    const record: ApplyRecord = {
      id,
      workspace,
      group,
      project,
      backend,
      state: "running",
      reason: null,
      wish: null,
      work: JSON.stringify({ ...work, countsSettings: true } satisfies Work),
      by,
      credential,
      createdAt: now(),
      endedAt: null,
      owner: this.#owner,
      epoch: 1,
      leaseUntil: await this.#sharedNow() + this.#leaseMs,
    };
    this.#works.claim(record);
    try {
      await store.add(record, entry(id));
      try {
        await still();
      } catch (error) {
        this.#works.refuse(record);
        if (await this.#closedUndone(record)) throw error;
        // Another replica carries it out, as this one was held up: it is asked to stop, and the answer says how it goes
        this.#works.leave(record);
        return await this.ask(id, "cancel", { by, credential, entry }).catch((error) => {
          if (!(error instanceof ServiceError) || error.code !== "apply_over") throw error;
          return this.get(id);
        });
      }
    } catch (error) {
      this.#works.leave(record); // if its row is there all the same, it is carried out once
      throw error;
    }
    this.#logins.hold(id, registries);
    await this.#carryOn(record, false);
    return await this.get(id);
  }

  /** Closes an apply of which nothing was done. Returns false if another replica has it. */
  async #closedUndone(record: ApplyRecord, why = "Something moved"): Promise<boolean> {
    try {
      await this.#journal(record).close("failed", `${why} before it began: nothing was done`);
      return true;
    } catch (error) {
      if (error instanceof LostApply) return false;
      throw error;
    }
  }

  /** Throws `apply_not_found`. */
  async get(id: string): Promise<Apply> {
    const record = await this.record(id);
    return applyOf(record, await progressOf(this.options.store, id));
  }

  /** Throws `apply_not_found`. */
  async record(id: string): Promise<ApplyRecord> {
    const record = await this.options.store.get(id);
    if (record === null) throw unknownApply();
    return record;
  }

  async list(query: ApplyQuery): Promise<ApplySummary[]> {
    return (await this.options.store.list(query)).map(summaryOf);
  }

  /** Asks the apply to end, which it does once the step in hand is finished or turned back. Throws `apply_over`. */
  async ask(id: string, wish: ApplyWish, applier: Applier): Promise<Apply> {
    using _taking = this.#works.take(id);
    const paused = await askToEnd({
      record: () => this.record(id),
      leave: () => this.options.store.wish(id, wish, applier.entry(id)),
      takePaused: () => this.#takePaused(id, applier, wish),
    });
    if (paused === null) this.#works.wish(id, wish);
    else await this.#giveUp(paused, wish);
    return await this.get(id);
  }

  /** Resumes with the rights of the caller. Throws `apply_over` for one that is not paused. */
  async resume(id: string, applier: Applier, { hooks }: ApplyResume = {}): Promise<Apply> {
    using _taking = this.#works.take(id);
    const record = await this.#takePaused(id, applier, null);
    if (record === null) throw over(await this.record(id));
    await this.#carryOn(record, true, hooks);
    return await this.get(id);
  }

  /** Takes a paused apply on, with what somebody asks of it; null where none is paused. */
  async #takePaused(
    id: string,
    { by, credential, entry }: Applier,
    wish: ApplyWish | null,
  ): Promise<ApplyRecord | null> {
    const lease = { owner: this.#owner, until: await this.#sharedNow() + this.#leaseMs };
    return await this.options.store.resume(id, { by, credential, wish }, lease, entry(id));
  }

  /** Ends an apply that waited. Throws `engine_unavailable` where a swap in hand cannot be settled. */
  async #giveUp(record: ApplyRecord, wish: ApplyWish): Promise<void> {
    const ended = Promise.withResolvers<ServiceError | null>();
    const isBegun = this.#go(record, null, async () => {
      try {
        ended.resolve(await this.#end(record, wish, false));
      } catch (error) {
        ended.reject(error);
      }
    });
    if (!isBegun) return;
    const away = await ended.promise;
    if (away !== null) throw away;
  }

  /**
   * Settles the swaps in hand and brings networks back, and begins nothing else. Returns why the engine cannot; the apply
   * waits on then. Where nobody waits for the answer, an engine that berth may still find is waited for.
   */
  async #end(record: ApplyRecord, wish: ApplyWish, isWaiting = true): Promise<ServiceError | null> {
    const away = isWaiting
      ? await this.#swaps.endWaiting(record, wish)
      : await this.#swaps.end(record, wish === "abandon");
    const words = wordsOfGivenUp(workOf(record), await progressOf(this.options.store, record.id));
    const state = away === null ? "cancelled" : "paused";
    try {
      await this.#journal(record).close(state, away?.discreet ?? words, { heeded: wish });
    } catch (error) {
      if (!(error instanceof Unheeded)) throw error;
      return await this.#end(record, error.wish, isWaiting);
    }
    return away;
  }

  /** Returns why applies wait with a container stopped in the middle of a swap; null while none does. */
  unsettled(): string | null {
    return this.#swaps.failure();
  }

  /** Yields the journal behind the place `after`, and every later event, until the apply or the signal ends. */
  follow(id: string, after: number, signal: AbortSignal): AsyncGenerator<ApplyEvent> {
    const { store } = this.options;
    return followApply({ id, store, feed: this.#feed, record: () => this.record(id) }, after, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#ticking;
    const enough = new AbortController();
    await Promise.race([this.#works.ended(), pause(STOP_MS, enough.signal)]);
    enough.abort();
    try {
      await this.options.store.release(this.#owner, await this.#sharedNow());
    } catch { // its lease ends by itself
    }
  }

  /** Leases count by one clock for all who share the store. */
  async #sharedNow(): Promise<number> {
    const { store, now } = this.options;
    return await store.now?.() ?? now();
  }

  async #tick(): Promise<void> {
    let forgetAt = 0;
    const { signal } = this.#stopping;
    for (; !signal.aborted; await pause(this.#leaseMs / TICKS, signal)) {
      try {
        const { store, now } = this.options;
        for (const record of await this.#leases.renew()) {
          // The store was away when this one went on.
          if (this.#works.isFree(record.id)) await this.#carryOn(record, true);
          else if (record.wish !== null) this.#works.wish(record.id, record.wish);
        }
        const shared = await this.#sharedNow();
        await this.#lostOwners.release(shared);
        await this.#swaps.look();
        const lease = { owner: this.#owner, until: shared + this.#leaseMs };
        for (const { apply, since } of await store.takeOver(shared, lease)) {
          await this.#takeUp(apply, shared - since);
        }
        await this.#logins.forgetAllOver();
        if (performance.now() < forgetAt) continue;
        forgetAt = performance.now() + FORGET_EVERY_MS;
        await store.forget(now() - KEPT_MS);
      } catch (error) {
        if (!signal.aborted) {
          this.options.log.warn("Applies cannot be looked after", { error: String(error) });
        }
      }
    }
  }

  async #takeUp(record: ApplyRecord, awayMs: number): Promise<void> {
    this.options.log.info("An apply is taken up", { apply: record.id, project: record.project });
    if (record.wish === null && awayMs > STALE_MS) {
      this.#pause(
        record,
        "berth was away for more than an hour: look at what runs, then resume or abandon it",
      );
    } else await this.#carryOn(record, true);
  }

  /** Pauses an apply that cannot continue by itself, once its swaps in hand are settled. */
  #pause(record: ApplyRecord, reason: string): void {
    this.#go(record, null, async () => {
      await this.#swaps.settleWaiting(record);
      await this.#journal(record).close("paused", reason);
    });
  }

  /** Leaves an apply whose files cannot be read to the next tick, or to a person. */
  #postpone(record: ApplyRecord, error: ServiceError): void {
    const settle = () => this.#swaps.settleWaiting(record);
    this.#go(record, null, async () => {
      if (!await this.#files.mustPause(record, error, settle)) return;
      await this.#journal(record).close("paused", error.discreet);
    });
  }

  async #carryOn(record: ApplyRecord, isAgain: boolean, answer?: ApplyResume["hooks"]): Promise<void> {
    const { id, wish } = record;
    if (this.#works.isRefused(record)) { // the store was away as it was refused
      this.#go(record, null, async () => void await this.#closedUndone(record, "The store was away"));
      return;
    }
    // It was being given up when its owner was lost: nothing of it goes forward.
    if (isAgain && wish !== null) {
      this.#go(record, null, async () => void await this.#end(record, wish));
      return;
    }
    if (!isReadable(record)) return this.#pause(record, NOT_READABLE);
    this.#works.claim(record);
    try {
      const { runtime, composeVersion } = this.options;
      const engines = runtime();
      const hooks = answer ?? this.#files.hooksOf(record);
      const now = await this.#files.read(record, hooks);
      if (engines === null) return this.#pause(record, "No plugin has a container engine");
      if (now === null) return this.#pause(record, "Its workspace or group is gone");
      if (now instanceof ServiceError) return this.#postpone(record, now);
      const { Run } = await import("./run.ts");
      const ground = { ...now, apply: id, backend: record.backend, runtime: engines, composeVersion };
      const run = new Run(record, { ...this.#runOptions(record, ground, isAgain), unknownHooks: hooks });
      this.#go(record, run, () => run.go());
    } catch (error) {
      this.#works.leave(record);
      throw error;
    }
  }

  #runOptions(record: ApplyRecord, ground: RunOptions["ground"], isAgain: boolean): RunOptions {
    const { id, by, workspace, group } = record;
    return {
      journal: this.#journal(record),
      ground,
      store: this.options.store,
      rights: () => this.options.rights(by),
      noteFailed: (failed, reason) =>
        this.options.noteFailed(
          failed.map((one) => ({ workspace, group, apply: id, reason, at: this.options.now(), ...one })),
          record.backend,
        ),
      assertHeld: () => this.#leases.assertHeld(record),
      isAgain,
      stopping: this.#stopping.signal,
      seal: this.options.seal,
      settle: (isAbandoned) => this.#swaps.settle(record, isAbandoned),
      settleWaiting: async () => void await this.#swaps.settleWaiting(record),
      awayMs: this.options.awayMs ?? AWAY_MS,
      judgedMs: this.options.judgedMs ?? SOUND_MS,
      progress: (step, frame) => this.#feed.progress(id, { kind: "progress", step, ...frame }),
      loginFor: (host) => this.#logins.for(id, host),
      unexpected: (error) => {
        this.options.log.error("A step of an apply failed", { apply: id, error });
        return new ServiceError("internal", "berth failed at this step; its log says why");
      },
    };
  }

  /**
   * Works at an apply beside everything else: leases are renewed meanwhile, and a stop waits for it. Returns false where
   * the apply is carried out here under a later epoch.
   */
  #go(record: ApplyRecord, run: Run | null, work: () => Promise<void>): boolean {
    const { id } = record;
    const guarded = () =>
      work()
        .catch(async (error) => {
          if (!(error instanceof Unheeded)) throw error;
          await this.#end(record, error.wish);
        })
        // The store is away, or another replica goes on: whoever looks next takes it up.
        .catch((error) => this.options.log.warn("An apply is left", { apply: id, error: String(error) }));
    return this.#works.begin(record, run, guarded, async () => {
      this.#feed.over(id);
      await this.#logins.forgetOver(id);
    });
  }

  #journal(record: ApplyRecord): Journal {
    const { store, now, entryOf } = this.options;
    return new Journal(record, {
      store,
      now,
      written: () => this.#feed.written(record.id),
      entryOf: (...act) => entryOf(toldOf(...act)),
    });
  }
}

/** Also for one that the caller may not read. */
export const unknownApply = (): ServiceError => new ServiceError("apply_not_found", "There is no such apply");
