/** The merged logs behind `/api/terminal/compose-logs`: of containers that are wanted and in scope, while they are. */
import type { ServiceError } from "../../../core/error.ts";
import type { JsonText } from "../../../core/json_text.ts";
import { Lru } from "../../../core/lru.ts";
import type { RunningContainer } from "../../../core/runtime.ts";
import { statusOf } from "../../../http/declare/problem.ts";
import type { EngineEvent } from "../../../engines/mirror/event_feed.ts";
import { findContainer, type FoundContainer } from "../backends/find_container.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { type LiveContainer, readLive } from "../backends/live_container.ts";
import { type Engines, inMirrors } from "../backends/seen.ts";
import { JUDGE_MS } from "../backends/while_seen.ts";
import { awakenBy } from "../logs/awaken.ts";
import { JsonLines, type LineWriter } from "../logs/json_lines.ts";
import { justBefore } from "../logs/log_time.ts";
import { begins, type LogStart, MergedLogs } from "../logs/merged_logs.ts";
import { type Retry, retryAfter } from "../logs/retry.ts";
import type { ContainerFilter, Seen } from "./event_filter.ts";

/** Containers whose engines and places are remembered. */
const MOST_REMEMBERED = 1_024;

interface FollowedLogsOptions {
  readonly engines: Engines;
  readonly filter: ContainerFilter;
  readonly seen: Seen;
  /** The number of earlier lines of each log that come first. */
  readonly tail: number;
  readonly signal: AbortSignal;
  frame(messages: readonly JsonText[]): void;
  ready(): Promise<void>;
  write(target: LiveContainer): LineWriter;
  /** Told how many containers are left out, when it is another number. */
  leftOut(containers: number): void;
  /** Told of a container whose log cannot be read. */
  failed(container: RunningContainer): void;
  onFailure(error: unknown): void;
  readonly judgeMs?: number;
}

export class FollowedLogs implements AsyncDisposable {
  readonly #options: FollowedLogsOptions;
  readonly #logs: MergedLogs;
  readonly #stack = new DisposableStack();
  /** The engines of containers that were begun, by id. */
  readonly #engineOf = new Lru<string>(MOST_REMEMBERED);
  /** The place up to which each log was read: it is resumed there. */
  readonly #read = new Lru<string>(MOST_REMEMBERED);
  readonly #failures = new Map<string, Retry>();
  /** Containers that were made since the begin. */
  readonly #made = new Lru<true>(MOST_REMEMBERED);
  #leftOut = 0;
  #isFull = false;
  #isListed = false;
  #owners = -1;

  constructor(options: FollowedLogsOptions) {
    this.#options = options;
    const { signal, frame, ready, write, engines } = options;
    this.#logs = new MergedLogs({
      viewer: { ready, left: (id, reason) => this.#left(id, reason) },
      lines: new JsonLines({
        frame: (messages, cursors) => {
          for (const [id, cursor] of cursors) {
            this.#read.set(id, cursor);
            this.#failures.delete(id);
          }
          frame(messages);
        },
        ready,
        write,
      }),
      awaken: awakenBy(engines.backends.feed),
      signal,
    });
  }

  /** Follows what there is, and from here on what begins. */
  async begin(): Promise<void> {
    const { engines: { backends, sights }, onFailure, filter } = this.#options;
    const list = () => void this.#list().catch(onFailure);
    this.#stack.use(backends.feed.subscribe({
      event: (event) => {
        if (begins(event) && filter.mayWant(event)) this.#join(event);
      },
      // An engine is up: what runs there already has no event
      resync: list,
    }));
    this.#owners = sights.ownership.revision;
    await this.#list();
    this.#isListed = true;
    const clock = setInterval(() => void this.#judge().catch(onFailure), this.#judgeMs);
    this.#stack.defer(() => clearInterval(clock));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stack.dispose();
    await this.#logs[Symbol.asyncDispose]();
  }

  get #judgeMs(): number {
    return this.#options.judgeMs ?? JUDGE_MS;
  }

  #join({ backend, id, action, time }: EngineEvent): void {
    this.#failures.delete(id);
    if (action === "create") this.#made.set(id, true);
    const isMade = this.#made.get(id) === true;
    // A container that starts before the list is there gets the same past as those in the list
    const start = this.#isListed
      ? { tail: null, since: isMade ? null : justBefore(time) }
      : { tail: this.#options.tail };
    this.#add(backend, id, start);
  }

  /** Returns false where there is no room for one more. */
  #add(backend: string, id: string, start: LogStart): boolean {
    const find = () => this.#find(backend, id);
    this.#engineOf.set(id, backend);
    const isAdded = this.#logs.add(id, find, { ...start, cursor: this.#read.get(id) });
    this.#isFull ||= !isAdded;
    return isAdded;
  }

  async #find(backend: string, id: string): Promise<LiveContainer> {
    const { engines, filter, seen, signal } = this.#options;
    const doing = "read the logs";
    // A container that just began has to be known first, and whose it is
    const found = await Promise.all(
      [seen.events, seen.running, seen.logs].map(({ reach }) =>
        findContainer(engines, reach, id, backend, doing)
      ),
    );
    const [{ row }] = found as [FoundContainer]; // three were asked for
    if (!filter.wantsContainer(row)) {
      await engines.sights.ownership.settle();
      if (!filter.wantsContainer(row)) {
        throw engineError("container_not_found", `Cannot ${doing}: it was not asked for`);
      }
    }
    return await readLive(engines.backends.named(backend).engine, id, doing, signal);
  }

  async #list(): Promise<void> {
    const { seen, signal, tail, leftOut } = this.#options;
    const listed = await this.#chosen();
    if (signal.aborted) return;
    const readable = listed.filter((one) => seen.logs.sees(one));
    const now = performance.now();
    let missing = listed.length - readable.length;
    this.#isFull = false;
    for (const { id, backend } of readable) {
      if ((this.#failures.get(id)?.nextAt ?? 0) > now) continue;
      if (!this.#add(backend, id, { tail })) missing++;
    }
    if (missing === this.#leftOut) return;
    this.#leftOut = missing;
    leftOut(missing);
  }

  async #chosen(): Promise<readonly RunningContainer[]> {
    const { engines: { backends, sights }, filter } = this.#options;
    const { up } = await backends.fresh("containers");
    const all = up.flatMap(({ mirror }) => [...mirror.containers.rows.values()]);
    const found = all.filter((container) => filter.wantsContainer(container));
    return await sights.ownership.settle()
      ? all.filter((container) => filter.wantsContainer(container))
      : found;
  }

  /** Labels and owners change, and with them what is wanted and may be seen. */
  async #judge(): Promise<void> {
    const { ownership } = this.#options.engines.sights;
    if (this.#strays().length > 0) {
      await ownership.settle(); // their new labels may not have been joined with files yet
      for (const id of this.#strays()) this.#logs.remove(id);
    }
    const isOther = ownership.revision !== this.#owners;
    this.#owners = ownership.revision;
    this.#forgive();
    if (isOther || this.#isFull || this.#failures.size > 0) await this.#list();
  }

  /** Forgets failures of containers that are gone, or are read again for a while. */
  #forgive(): void {
    const now = performance.now();
    for (const [id, { nextAt }] of this.#failures) {
      const isRead = this.#logs.has(id) && now > nextAt + this.#judgeMs;
      if (isRead || this.#rowOf(id) === undefined) this.#failures.delete(id);
    }
  }

  #strays(): string[] {
    const { filter, seen } = this.#options;
    return [...this.#logs.sources].filter((id) => {
      const row = this.#rowOf(id);
      return row !== undefined && !(filter.wantsContainer(row) && seen.logs.sees(row));
    });
  }

  #left(id: string, reason: ServiceError | "removed"): void {
    const row = this.#rowOf(id);
    // A container that is gone, or left the scope before it was read, has its own event or none
    if (reason === "removed" || row === undefined || statusOf(reason) === 404) return;
    const before = this.#failures.get(id);
    if (before === undefined) this.#options.failed(row);
    const status = statusOf(reason);
    const next = retryAfter(before, this.#judgeMs);
    this.#failures.set(id, status >= 500 || status === 409 ? next : { ...next, nextAt: Infinity });
  }

  #rowOf(id: string): RunningContainer | undefined {
    const backend = this.#engineOf.get(id);
    return backend === undefined ? undefined : inMirrors(this.#options.engines, backend, id);
  }
}
