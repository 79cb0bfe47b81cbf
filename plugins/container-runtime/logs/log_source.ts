/** A container's log as one unbroken sequence, however often the engine, the container or the connection breaks. */
import { ServiceError } from "../../../core/error.ts";
import { at } from "../engine/path.ts";
import { pause } from "../engine/pause.ts";
import { findContainer, type FoundContainer } from "../backends/live_container.ts";
import { FrameReader, type RunSink, type Stream } from "../frames/frames.ts";
import { LineReader, type LineSink } from "./lines.ts";
import type { Gap, LogPosition } from "./log_position.ts";
import { compareLogTimes, engineTime, type LogTime, ofMs } from "./log_time.ts";
import { PodmanLife } from "./podman_life.ts";
import { openRaw, type RawAnswer } from "../frames/connection.ts";

/** How often a log that does not follow is opened again when it breaks off. */
const RETRIES = 5;
/** How much is turned into lines at once: a piece of the answer each, of which the runtime takes up to sixteen ahead. */
const STEP_BYTES = 16 * 1024;
/** How much is held back at most until it is known whether it counts; memory that is not written to is not taken. */
const DOUBTED_BYTES = 512 * 1024;
const FIRST_WAIT_MS = 50;
const LAST_WAIT_MS = 2_000;
/** What was written until a moment is in the engine's log so soon after it. */
const SETTLED_MS = 1_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** How often a container that is down or paused is looked at, beside the events that tell that it runs. */
const LOOK_MS = 5_000;

export interface LogQuery {
  readonly follow: boolean;
  readonly tail: number | null;
  readonly since: LogTime | null;
  readonly until: LogTime | null;
  readonly stdout: boolean;
  readonly stderr: boolean;
}

export interface LogListener extends LineSink {
  gap(gap: Gap): void;
  /** Called right after the lines of one read, before anybody else's turn. */
  taken?(): void;
}

/** Tells when something happens to a container, so that a stopped one need not be asked for ever. */
export type Awaken = (id: string, wake: () => void) => Disposable;

export type LogEnd = "complete" | "removed";

export class LogSource {
  readonly #target: FoundContainer;
  readonly #query: LogQuery;
  readonly #position: LogPosition;
  readonly #listener: LogListener;
  readonly #signal: AbortSignal;
  readonly #awaken: Awaken | undefined;
  readonly #lines: LineReader;
  readonly #openedAt = ofMs(Date.now());
  readonly #life: PodmanLife | null;
  #answer: RawAnswer | null = null;
  /** Who vouches for what that answer says, where it needs somebody: while Podman's log is followed. */
  #voucher: PodmanLife | null = null;
  /** Whether what was read of it counts. */
  #isSound = false;
  #frames: FrameReader | null = null;
  #failures = 0;
  /** There is no more for now; what came is told before that is waited for. */
  #isDry = false;
  /** How often in a row the log ended with nothing new. */
  #vain = 0;
  /** Until the moment has passed up to which lines are wanted. */
  #follows: boolean;
  #untilPassed: ReturnType<typeof setTimeout> | undefined;
  #wake = () => {};
  #opened = false;
  #end: LogEnd | null = null;

  constructor(options: {
    readonly target: FoundContainer;
    readonly query: LogQuery;
    /** Where to begin, or an empty one; moves with every line. */
    readonly position: LogPosition;
    readonly listener: LogListener;
    readonly signal: AbortSignal;
    readonly awaken?: Awaken;
  }) {
    this.#target = options.target;
    this.#query = options.query;
    this.#position = options.position;
    this.#listener = options.listener;
    this.#signal = options.signal;
    this.#awaken = options.awaken;
    this.#follows = options.query.follow;
    const { terminal, kind, rotates } = options.target;
    this.#life = kind === "podman" ? new PodmanLife(() => this.#look()) : null;
    if (rotates && options.query.follow) options.position.expectRepeats(this.#openedAt);
    this.#lines = new LineReader(this.#sink(), { terminal, parts: kind === "podman" ? "unended" : "sized" });
  }

  /** How it ended, once `read` has said so. */
  get end(): LogEnd | null {
    return this.#end;
  }

  /** Opens the log, so that a refusal is known before anything was answered. */
  async open(): Promise<void> {
    if (this.#answer === null) await this.#open();
    if (this.#follows && this.#query.until !== null) this.#followUntil(this.#query.until);
  }

  /**
   * Reads on until something was read, which need not be a whole line; false when the log is over.
   * Throws only what waiting cannot mend, or the signal's reason.
   */
  async read(): Promise<boolean> {
    while (this.#end === null) {
      this.#signal.throwIfAborted();
      try {
        if (this.#isDry) await this.#waitForMore();
        const answer = this.#answer ?? await this.#open();
        if (answer.start === answer.end) this.#isSound = false;
        if (!this.#frames?.complete && (answer.start < answer.end || await answer.read())) {
          this.#isSound ||= await this.#voucher?.vouchesFor(answer) ?? true;
          if (this.#answer !== answer) return this.#end === null; // let go of meanwhile
          if (!this.#isSound) {
            await this.#readRest(answer);
            continue;
          }
          const { start } = answer;
          const end = Math.min(answer.end, start + STEP_BYTES);
          answer.start = end;
          this.#frames?.push(answer.bytes, start, end);
          this.#listener.taken?.();
          this.#failures = 0;
          return true;
        }
        this.#ended();
        return this.#end === null;
      } catch (error) {
        await this.#recover(error);
      }
    }
    return false;
  }

  /** Lets go of the engine until the next `read`, which goes on at the same line. */
  pause(): void {
    this.#drop();
  }

  /** Whether somebody who has not read since then may have missed lines that are not in the log any more. */
  isLate(since: number): boolean {
    return this.#target.rotates && performance.now() - since > 1_000;
  }

  close(): void {
    clearTimeout(this.#untilPassed);
    this.#drop();
    this.#end ??= "complete";
  }

  #sink(): LineSink {
    const onGap = (gap: Gap) => this.#listener.gap(gap);
    return {
      line: (stream: Stream, bytes, timeFrom, timeTo, from, to, ended, cut) => {
        if (this.#position.admit(stream, bytes, timeFrom, timeTo, to, onGap)) {
          this.#vain = 0;
          this.#listener.line(stream, bytes, timeFrom, timeTo, from, to, ended, cut);
        }
      },
    };
  }

  async #open(live = true): Promise<RawAnswer> {
    const query = this.#query;
    const follows = this.#follows;
    const follow = live && follows && (this.#life === null || await this.#life.begins());
    const voucher = follow ? this.#life : null;
    const { target, since, tail } = this.#from();
    const answer = await openRaw(target.engine, {
      method: "GET",
      path: at`/containers/${target.id}/logs`,
      query: {
        follow,
        stdout: query.stdout,
        stderr: query.stderr,
        timestamps: true,
        since,
        until: query.until === null ? undefined : engineTime(query.until),
        tail,
      },
      doing: `read the logs of container "${target.name}"`,
      missing: "container_not_found",
      signal: this.#signal,
      ...(voucher === null ? {} : { bufferBytes: DOUBTED_BYTES }),
    });
    this.#opened = true;
    if (follows !== this.#follows) {
      answer.close();
      return await this.#open();
    }
    this.#answer = answer;
    this.#voucher = voucher;
    this.#isSound = false;
    const runs: RunSink = this.#lines;
    this.#frames = new FrameReader(runs, { framed: !this.#target.terminal, framing: answer.framing });
    return answer;
  }

  /** Podman cannot be believed any more: what comes behind the latest line is read from the log as it lies there. */
  async #readRest(live: RawAnswer): Promise<void> {
    try {
      await this.#open(false);
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === "container_not_found")) throw error;
      // It was removed at once, and what Podman still sends is better than nothing
      this.#position.endSearch(() => {});
      this.#life?.lose();
      return;
    }
    live.close();
    this.#lines.reset();
  }

  /** From where on to ask: as the caller said at first, behind the latest line ever after. */
  #from(): { target: FoundContainer; since: string | undefined; tail: number | undefined } {
    const target = this.#target;
    if (!this.#position.empty) return { target, since: this.#position.resume(), tail: undefined };
    const { since, tail } = this.#query;
    if (this.#opened && tail === 0) {
      // No line was wanted then, and none has come since: those that came meanwhile are wanted
      const from = since !== null && compareLogTimes(since, this.#openedAt) > 0 ? since : this.#openedAt;
      return { target, since: engineTime(from), tail: undefined };
    }
    return { target, since: since === null ? undefined : engineTime(since), tail: tail ?? undefined };
  }

  /** Engines end a log that is followed late or never: from that moment on the rest is read like any other log. */
  #followUntil(until: LogTime): void {
    const leftMs = until.seconds * 1000 + until.nanos / 1e6 + SETTLED_MS - Date.now();
    this.#untilPassed = setTimeout(() => {
      if (leftMs > LONGEST_TIMER_MS) return this.#followUntil(until);
      this.#follows = false;
      this.#drop();
      this.#wake();
    }, Math.min(leftMs, LONGEST_TIMER_MS));
  }

  /** The engine stopped sending. */
  #ended(): void {
    if (this.#answer === null) return; // let go of while it was read
    const cut = this.#frames?.cut ?? true;
    this.#drop(!cut);
    if (!this.#follows) {
      if (cut) throw new ServiceError("runtime_unavailable", this.#words("the engine broke off"));
      this.#position.endSearch((gap) => this.#listener.gap(gap));
      this.#end = "complete";
      return;
    }
    const { until } = this.#query;
    if (!cut && until !== null && compareLogTimes(until, ofMs(Date.now())) <= 0) {
      this.#end = "complete";
      return;
    }
    this.#isDry = true;
  }

  /** Until the container runs (again), or is gone. */
  async #waitForMore(): Promise<void> {
    this.#isDry = false;
    if (!this.#follows) return; // the moment has passed up to which lines are wanted
    const woken = Promise.withResolvers<void>();
    // Listening before looking: a start in between is not missed
    using _listening = this.#awaken?.(this.#target.id, woken.resolve);
    this.#wake = woken.resolve;
    const { life, paused } = await this.#look();
    // The engine may say for a moment after its death that it runs
    const isPatient = (life === null || paused) && this.#awaken !== undefined;
    await pause(isPatient ? LOOK_MS : waitMs(this.#vain++), this.#signal, woken.promise);
  }

  #look(): Promise<FoundContainer> {
    const { engine, id } = this.#target;
    return findContainer([engine], id, "go on reading its logs", this.#signal);
  }

  async #recover(error: unknown): Promise<void> {
    this.#drop();
    this.#signal.throwIfAborted();
    const code = error instanceof ServiceError ? error.code : "internal";
    if (code === "container_not_found" && this.#opened) {
      this.#end = "removed";
      return;
    }
    const isAway = code === "runtime_unavailable" || code === "engine_timeout" || code === "engine_busy";
    // Podman and Docker answer a conflict while the container is going: the next look says that it is gone
    const mayPass = isAway || code === "conflict" || code === "engine_failed" && this.#failures < 2;
    const patient = this.#follows && this.#opened || this.#failures < RETRIES && this.#opened;
    if (!mayPass || !patient) throw error;
    await pause(waitMs(this.#failures++), this.#signal);
  }

  #drop(finished = false): void {
    if (finished) this.#lines.finish(!this.#follows);
    else this.#lines.reset();
    this.#answer?.close();
    this.#answer = null;
    this.#frames = null;
  }

  #words(why: string): string {
    return `Cannot read the logs of container "${this.#target.name}": ${why}`;
  }
}

function waitMs(times: number): number {
  return Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(times, 10)) * (0.75 + Math.random() / 2);
}
