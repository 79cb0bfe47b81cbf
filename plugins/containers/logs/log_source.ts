/** Reads a container's log as one sequence without loss or repeats, across broken connections and restarts. */
import { ServiceError } from "../../../core/error.ts";
import { pause } from "../../../core/pause.ts";
import { Latch } from "../../../core/signal.ts";
import { type LiveContainer, logPath, readLive } from "../backends/live_container.ts";
import type { Awaken } from "./awaken.ts";
import { FrameReader, type RunSink } from "../../../engines/frames/frames.ts";
import { LineReader, type LineSink } from "./lines.ts";
import type { Gap, LogPosition } from "./log_position.ts";
import { compareLogTimes, engineTime, type LogTime, ofMs } from "./log_time.ts";
import type { LogEnd, LogListener } from "./log_listener.ts";
import { type LogRequest, startOf } from "./log_request.ts";
import { LogProbe } from "./log_probe.ts";
import { PodmanLife } from "./podman_life.ts";
import { type EngineConnection, openConnection } from "../../../engines/frames/connection.ts";
import { engineError } from "../../../engines/calls/errors.ts";

/** Retries after a broken connection for a log that is not followed. */
const RETRIES = 5;
/** Bytes that are turned into lines in one step; the runtime may read sixteen steps ahead. */
const STEP_BYTES = 16 * 1024;
/** Bytes of Podman's answer that wait at most until it is known to be whole. Unused memory costs nothing. */
const UNPROVEN_BYTES = 512 * 1024;
const FIRST_WAIT_MS = 50;
const LAST_WAIT_MS = 2_000;
/** A line written before a moment is in the engine's log this long after it. */
export const SETTLED_MS = 1_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** The interval at which a container that is down or paused is inspected, beside the events that say it runs. */
const LOOK_MS = 5_000;

/**
 * The states of a source:
 *
 * - closed → reading: `#open`, the engine answers
 * - reading → reading: `#readRest`, Podman's followed answer is given up for the log as it is stored
 * - reading → dry: `#ended`, a followed log has no more for now
 * - reading → closed: `pause`, the answer broke off, or its connection is in doubt
 * - dry → closed: `#waitForMore`, before it waits
 * - any → over: `#finish`, the log is complete, its container was removed, or `close`
 */
type State =
  | { readonly kind: "closed" }
  | Reading
  /** Everything so far was given to the listener; the next read waits. */
  | { readonly kind: "dry" }
  | { readonly kind: "over"; readonly end: LogEnd };

interface Reading {
  readonly kind: "reading";
  readonly answer: EngineConnection;
  readonly frames: FrameReader;
  /** Says whether Podman's followed answer is whole; null for any other answer, which is. */
  readonly proof: PodmanLife | null;
  /** True if the bytes that came are known to be whole. */
  isProven: boolean;
}

const CLOSED: State = { kind: "closed" };

export class LogSource {
  readonly #target: LiveContainer;
  readonly #query: LogRequest;
  readonly #position: LogPosition;
  readonly #listener: LogListener;
  readonly #signal: AbortSignal;
  readonly #awaken: Awaken | undefined;
  readonly #lines: LineReader;
  readonly #openedAt = ofMs(Date.now());
  readonly #life: PodmanLife | null;
  #state: State = CLOSED;
  /** True if the engine has answered once. */
  #wasOpen = false;
  /** True if the log is followed; a log with an end (`until`) only until then. */
  #follows: boolean;
  #untilTimer: ReturnType<typeof setTimeout> | undefined;
  /** Ends the wait for more. */
  #wake = () => {};
  /** Finds out whether a quiet log is quiet; made when a log is followed. */
  #probe: LogProbe | null = null;
  /** The beginning of the wait for the engine's next bytes; null while nothing is waited for. */
  #quietSince: number | null = null;
  /** True from `waits` to `resumes`. */
  #isWaiting: boolean;
  /** Failures in a row. */
  #failures = 0;
  /** The number of times in a row that the log ended without a new line. */
  #emptyEnds = 0;
  /** Lines are left out, until one is read again. */
  #leavesOut = false;

  constructor(options: {
    readonly target: LiveContainer;
    readonly query: LogRequest;
    /** The position to begin at; moves with every line. */
    readonly position: LogPosition;
    readonly listener: LogListener;
    readonly signal: AbortSignal;
    readonly awaken?: Awaken;
    /** It could not be read before: `resumes` is called at the first opening, too. */
    readonly isWaiting?: boolean;
  }) {
    this.#target = options.target;
    this.#query = options.query;
    this.#position = options.position;
    this.#listener = options.listener;
    this.#signal = options.signal;
    this.#awaken = options.awaken;
    this.#isWaiting = options.isWaiting ?? false;
    this.#follows = options.query.follow;
    const { terminal, kind, rotates, managed } = options.target;
    this.#life = kind === "podman" ? new PodmanLife(() => this.#look()) : null;
    // A node that comes back sends managers once more what it sent since the log was opened
    if (managed !== undefined) options.position.expectRepeats({ seconds: 0, nanos: 0 });
    else if (rotates && options.query.follow) options.position.expectRepeats(this.#openedAt);
    this.#lines = new LineReader(this.#sink(), { terminal, parts: kind === "podman" ? "unended" : "sized" });
  }

  /** The way in which the log ended; null before its end. */
  get end(): LogEnd | null {
    return this.#state.kind === "over" ? this.#state.end : null;
  }

  /** Opens the log, so that a refusal is known before the first byte of an answer. */
  async open(): Promise<void> {
    if (this.#state.kind === "closed") await this.#open();
    this.#armUntil();
  }

  /**
   * Reads until something came, which need not be a whole line; false when the log is over. Throws what waiting cannot
   * mend, and the signal's reason.
   */
  async read(): Promise<boolean> {
    this.#armUntil();
    while (this.#state.kind !== "over") {
      this.#signal.throwIfAborted();
      try {
        if (this.#state.kind === "dry") await this.#waitForMore();
        else if (this.#state.kind === "closed") await this.#open();
        else if (await this.#readOn(this.#state)) return this.end === null;
      } catch (error) {
        await this.#recover(error);
      }
    }
    return false;
  }

  /** Closes the connection until the next `read`, which goes on at the same line. */
  pause(): void {
    this.#drop();
  }

  /** Closes the connection; the next `read` resumes at the end of the log, without the lines that were written meanwhile. */
  leaveOut(): void {
    this.#drop();
    this.#leavesOut = true;
  }

  /** Returns true if a caller who has not read since then may have missed lines that the engine has dropped by now. */
  isLate(since: number): boolean {
    return this.#target.rotates && performance.now() - since > 1_000;
  }

  /** Nothing more is written: what is there is read anew behind the latest line, to its end. */
  readToEnd(): void {
    if (!this.#follows || this.#state.kind === "over") return;
    this.#follows = false;
    this.#drop();
    this.#wake();
  }

  close(): void {
    clearTimeout(this.#untilTimer);
    this.#finish("complete");
    this.#wake();
  }

  #sink(): LineSink {
    const onGap = (gap: Gap) => this.#listener.gap(gap);
    return {
      line: (line) => {
        if (!this.#position.admit(line, onGap)) return;
        this.#emptyEnds = 0;
        this.#leavesOut = false;
        this.#listener.line(line);
      },
    };
  }

  /** Opens the log at the right line. `live`: follows it, if it is to be followed. */
  async #open(live = true): Promise<void> {
    const query = this.#query;
    const follows = this.#follows;
    const follow = live && follows && (this.#life === null || await this.#life.begins());
    const proof = follow ? this.#life : null;
    const { since, tail } = this.#leavesOut && this.#follows
      ? { since: undefined, tail: 0 }
      : startOf(this.#query, this.#position, this.#wasOpen ? this.#openedAt : null);
    const target = this.#target;
    const answer = await openConnection(target.engine, {
      method: "GET",
      path: logPath(target),
      query: {
        follow,
        stdout: query.stdout,
        stderr: query.stderr,
        timestamps: true,
        since,
        // Managers take no notice of it
        until: query.until === null || target.managed ? undefined : engineTime(query.until),
        tail,
      },
      doing: `read the logs of container "${target.name}"`,
      missing: "container_not_found",
      signal: this.#signal,
      ...(proof === null ? {} : { bufferBytes: UNPROVEN_BYTES }),
    });
    this.#wasOpen = true;
    if (this.#state.kind === "over") return answer.close();
    if (follows !== this.#follows) { // its time has passed meanwhile
      answer.close();
      return await this.#open();
    }
    const runs: RunSink = this.#lines;
    const frames = new FrameReader(runs, { framed: !target.terminal, framing: answer.framing });
    this.#state = { kind: "reading", answer, frames, proof, isProven: false };
    if (this.#isWaiting) this.#listener.resumes?.();
    this.#isWaiting = false;
    if (follow && !target.managed) this.#probe ??= this.#newProbe();
  }

  #newProbe(): LogProbe {
    return new LogProbe({
      target: this.#target,
      query: this.#query,
      position: this.#position,
      openedAt: this.#openedAt,
      signal: this.#signal,
      quietSince: () => this.#quietSince,
      reopen: () => this.#drop(),
    });
  }

  /** Reads one piece; false where the next one has to be looked for in another state. */
  async #readOn(reading: Reading): Promise<boolean> {
    const { answer, frames, proof } = reading;
    if (answer.isEmpty) reading.isProven = false;
    if (frames.complete || answer.isEmpty && !await this.#readMore(answer)) {
      if (this.#state === reading && answer.isDoubtful) {
        this.#drop();
        return false;
      }
      this.#ended(reading);
      return true;
    }
    reading.isProven ||= await proof?.vouchesFor(answer) ?? true;
    if (this.#state !== reading) return true; // paused or closed meanwhile
    if (!reading.isProven) {
      await this.#readRest(answer);
      return false;
    }
    answer.giveTo(frames, STEP_BYTES);
    this.#listener.taken?.();
    this.#failures = 0;
    return true;
  }

  async #readMore(answer: EngineConnection): Promise<boolean> {
    if (!this.#follows) return await answer.readMuch();
    this.#quietSince = performance.now();
    try {
      return await answer.read();
    } finally {
      this.#quietSince = null;
    }
  }

  /** Podman's answer may lack lines from here on: what comes after the latest line is read from the stored log. */
  async #readRest(live: EngineConnection): Promise<void> {
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

  #armUntil(): void {
    const { until } = this.#query;
    const isOver = this.#state.kind === "over";
    if (!this.#follows || isOver || until === null || this.#untilTimer !== undefined) return;
    this.#followUntil(until);
  }

  /** Engines end a followed log with `until` late or never. From that moment on, the rest is read without following. */
  #followUntil(until: LogTime): void {
    const leftMs = until.seconds * 1000 + until.nanos / 1e6 + SETTLED_MS - Date.now();
    this.#untilTimer = setTimeout(() => {
      if (leftMs > LONGEST_TIMER_MS) return this.#followUntil(until);
      this.#follows = false;
      this.#drop();
      this.#wake();
    }, Math.min(leftMs, LONGEST_TIMER_MS));
  }

  /** The engine stopped sending. */
  #ended(reading: Reading): void {
    if (this.#state !== reading) return; // paused or closed meanwhile
    const { cut } = reading.frames;
    this.#drop(!cut);
    if (!this.#follows) {
      if (cut) {
        throw engineError(
          "runtime_unavailable",
          `Cannot read the logs of container "${this.#target.name}": the engine broke off`,
        );
      }
      this.#position.endSearch((gap) => this.#listener.gap(gap));
      return this.#finish("complete");
    }
    const { until } = this.#query;
    if (!cut && until !== null && compareLogTimes(until, ofMs(Date.now())) <= 0) {
      return this.#finish("complete");
    }
    this.#state = { kind: "dry" };
  }

  /** Waits until the container runs again, is gone, or it is time to look. */
  async #waitForMore(): Promise<void> {
    this.#state = CLOSED;
    if (!this.#follows) return; // the moment has passed up to which lines are wanted
    const woken = new Latch();
    // Subscribed before the inspect, so that a start in between is not missed
    using _listening = this.#awaken?.(this.#target, () => woken.open());
    this.#wake = () => woken.open();
    const { life, paused } = await this.#look();
    // The engine may say for a moment after its death that it runs
    const isPatient = (life === null || paused) && this.#awaken !== undefined;
    await pause(isPatient ? LOOK_MS : waitMs(this.#emptyEnds++), this.#signal, woken.opened);
  }

  #look(): Promise<LiveContainer> {
    const { engine, id, managed } = this.#target;
    if (managed !== undefined) return Promise.resolve(this.#target);
    return readLive(engine, id, "go on reading its logs", this.#signal);
  }

  /** Waits before the next attempt, or throws what no attempt can mend. */
  async #recover(error: unknown): Promise<void> {
    this.#drop();
    this.#signal.throwIfAborted();
    const code = error instanceof ServiceError ? error.code : "internal";
    if (code === "container_not_found" && this.#wasOpen) return this.#finish("removed");
    const { managed } = this.#target;
    managed?.turn();
    // A manager without a leader ends a log with an error; another one may know more
    const isAway = code === "runtime_unavailable" || code === "engine_timeout" || code === "engine_busy" ||
      managed !== undefined && code === "engine_failed";
    // Docker and Podman answer a conflict while they remove a container; the next attempt says that it is gone
    const mayPass = isAway || code === "conflict" || code === "engine_failed" && this.#failures < 2;
    const isPatient = this.#wasOpen && (this.#follows || this.#failures < RETRIES);
    if (!mayPass || !isPatient) throw error;
    if (isAway && error instanceof ServiceError) {
      this.#isWaiting = true;
      this.#listener.waits?.(error);
    }
    const woken = new Latch();
    using _listening = this.#awaken?.(this.#target, () => woken.open());
    await pause(waitMs(this.#failures++), this.#signal, woken.opened);
  }

  /** Closes the answer, if one is open. `finished`: it ended as it should. */
  #drop(finished = false): void {
    if (finished) this.#lines.finish(!this.#follows);
    else this.#lines.reset();
    if (this.#state.kind !== "reading") return;
    this.#state.answer.close();
    this.#state = CLOSED;
  }

  #finish(end: LogEnd): void {
    this.#drop();
    this.#probe?.[Symbol.dispose]();
    if (this.#state.kind !== "over") this.#state = { kind: "over", end };
  }
}

function waitMs(times: number): number {
  return Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(times, 10)) * (0.75 + Math.random() / 2);
}
