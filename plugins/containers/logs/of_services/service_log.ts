/** The logs of a service's tasks, merged, as the body of an answer. */
import type { ServiceError } from "../../../../core/error.ts";
import type { KnownTask } from "../../../../core/running_services.ts";
import { Latch } from "../../../../core/signal.ts";
import type { Engines } from "../../backends/seen.ts";
import type { Awaken } from "../awaken.ts";
import type { LiveContainer } from "../../backends/live_container.ts";
import { MergedLogs } from "../merged_logs.ts";
import type { LogFormat } from "../log_formats.ts";
import type { LogRequest } from "../log_request.ts";
import { brokenOff } from "../log_body.ts";
import { SETTLED_MS } from "../log_source.ts";
import { compareLogTimes, ofMs } from "../log_time.ts";
import { cursorText } from "./cursors.ts";
import type { TasksNow } from "./service_tasks.ts";
import type { TaskPosition } from "./task_batch.ts";
import { TaskLines } from "./task_lines.ts";
import { logOf, placeOf, type TaskLog, type TaskPlace } from "./task_logs.ts";
import { TaskWriter } from "./task_writer.ts";

/** Lines of different nodes are sorted when they come within this time. */
const ORDER_MS = 250;
/** Memory is looked at for tasks that are new, or have ended. */
const LOOK_MS = 250;
const ROOM_BYTES = 256 * 1024;
const HEARTBEAT_MS = 15_000;
/** The waits before a task whose engines are away is tried again. */
const FIRST_WAIT_MS = 500;
const LAST_WAIT_MS = 5_000;
/** Failures that another time may mend. */
const AWAY: ReadonlySet<string> = new Set(["runtime_unavailable", "engine_timeout", "engine_busy"]);
const encoder = new TextEncoder();

interface ServiceLogOptions {
  readonly engines: Engines;
  readonly awaken: Awaken;
  /** Looks at the service's tasks. */
  readonly tasks: () => TasksNow;
  readonly request: LogRequest;
  readonly search: string | undefined;
  readonly timestamps: boolean;
  readonly cursors: ReadonlyMap<string, string>;
  readonly format: LogFormat;
  readonly doing: string;
  readonly signal: AbortSignal;
  /** Returns the reason that berth ended the stream. */
  readonly reason: () => string;
  readonly onEnd: () => void;
}

/** A task that was wanted once. */
interface Reading {
  /** As its log was found; before that, as memory has it. */
  place: TaskPlace;
  /** The number of earlier lines that come first; null for all. */
  readonly tail: number | null;
  /** It is read, or was read to its end. */
  isBegun: boolean;
  /** The caller knows that it cannot be read for now. */
  isWaiting: boolean;
  /** Failures in a row. */
  failures: number;
  /** It is not tried before. */
  nextAt: number;
}

export function serviceLog(options: ServiceLogOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    new ServiceLog(options),
    new ByteLengthQueuingStrategy({ highWaterMark: ROOM_BYTES }),
  );
}

class ServiceLog implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #options: ServiceLogOptions;
  readonly #writer: TaskWriter;
  readonly #lines: TaskLines;
  readonly #logs: MergedLogs;
  readonly #leaving = new AbortController();
  readonly #signal: AbortSignal;
  readonly #places: Map<string, string>;
  readonly #readings = new Map<string, Reading>();
  /** Remembered tasks that are not read once they are replaced: they were before the first look, or were read to their end. */
  #passed: Set<string> | null = null;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>; // `start` comes before anything else
  /** Each task that is read waits for room, and so does what was collected of all. */
  readonly #hasRoom = new Latch();
  #lastAt = performance.now();
  /** The caller has a cursor. */
  #hasCursor: boolean;

  constructor(options: ServiceLogOptions) {
    this.#options = options;
    this.#writer = new TaskWriter(options.format);
    this.#lines = new TaskLines({
      format: options.format,
      timestamps: options.timestamps,
      writer: this.#writer,
      send: (bytes) => this.#sendBytes(bytes),
      ready: () => this.#room(),
      told: (places) => this.#told(places),
    });
    this.#signal = AbortSignal.any([options.signal, this.#leaving.signal]);
    this.#places = new Map(options.cursors);
    this.#hasCursor = options.cursors.size > 0;
    this.#logs = new MergedLogs({
      viewer: {
        ready: () => this.#room(),
        joined: (task, target) => this.#joined(task, this.#taskOf(target)),
        waits: (task, error) => this.#waits(task, error.code),
        resumes: (task) => this.#resumes(task),
        left: (task, error) => this.#left(task, error),
      },
      lines: this.#lines,
      awaken: options.awaken,
      search: options.search,
      signal: this.#signal,
      orderMs: ORDER_MS,
    });
  }

  start(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    this.#controller = controller;
    this.#signal.addEventListener("abort", () => this.#hasRoom.wake());
    this.#run().then(
      () => {
        if (this.#leaving.signal.aborted) return;
        const { signal, format } = this.#options;
        // Text has no place for the end that berth makes, so the body cannot be mistaken for a complete one
        if (signal.aborted && format === "text") controller.error(brokenOff());
        else controller.close();
      },
      (error) => controller.error(error),
    );
  }

  pull(): void {
    this.#hasRoom.wake();
  }

  cancel(): void {
    this.#leaving.abort();
  }

  async #run(): Promise<void> {
    const { request, signal, reason, onEnd } = this.#options;
    const beat = setInterval(() => {
      if (performance.now() - this.#lastAt > HEARTBEAT_MS && this.#isRoomy) {
        this.#send(this.#writer.heartbeat);
      }
    }, HEARTBEAT_MS / 3);
    try {
      if (request.follow) await this.#follow();
      else await this.#readAll();
    } finally {
      clearInterval(beat);
      this.#hasRoom.wake();
      await this.#logs[Symbol.asyncDispose]();
      onEnd();
    }
    if (signal.aborted) this.#send(this.#writer.end(reason())); // behind the last lines and their cursor
  }

  /** Looks until the caller leaves, or everything was read that was written up to the wanted time. */
  async #follow(): Promise<void> {
    const over = new Latch();
    this.#signal.addEventListener("abort", () => over.open());
    this.#look(true);
    const clock = setInterval(() => {
      this.#look(false);
      if (this.#isPast && this.#logs.isEmpty) over.open();
    }, LOOK_MS);
    if (!this.#signal.aborted) await over.opened;
    clearInterval(clock);
  }

  get #isPast(): boolean {
    const { until } = this.#options.request;
    return until !== null && compareLogTimes(until, ofMs(Date.now() - SETTLED_MS)) < 0;
  }

  /** More tasks than are read at once follow when others have ended. */
  async #readAll(): Promise<void> {
    while (this.#look(true) > 0 && !this.#signal.aborted) await this.#logs.ended();
    await this.#logs.ended();
  }

  /**
   * Begins to read tasks that are new or are tried again, reads those that have ended to their end, and ends what left the
   * scope. Returns the number of tasks for which there was no room.
   */
  #look(isFirst: boolean): number {
    const { tasks, request } = this.#options;
    const now = tasks();
    const { isHeld, fateOf } = now;
    const wanted = isHeld ? [...now.wanted, ...this.#unread(now)] : [];
    let left = 0;
    for (const one of wanted) {
      const reading = this.#readingOf(one, isFirst);
      const { id } = one.task;
      if (reading.isBegun || this.#logs.has(id) || performance.now() < reading.nextAt) continue;
      reading.isBegun = this.#begin(one, reading);
      if (reading.isBegun) continue;
      left += 1;
      if (request.follow) this.#waits(id, "too_many_streams");
    }
    for (const id of this.#logs.sources) {
      const fate = fateOf(id);
      if (fate === "hidden") this.#logs.remove(id);
      else if (fate === "ended" && request.follow) this.#logs.end(id);
    }
    if (isHeld) this.#forget(new Set(wanted.map(({ task }) => task.id)));
    else this.#interrupt();
    return left;
  }

  /** Returns replaced tasks that a cursor names or that came since the first look: their last lines tell why they ended. */
  #unread({ wanted, replaced }: TasksNow): KnownTask[] {
    const { cursors } = this.#options;
    const passed = this.#passed;
    this.#passed = passed === null
      ? new Set(replaced.map(({ task }) => task.id).filter((id) => !cursors.has(id)))
      : passed.intersection(new Set([...wanted, ...replaced].map(({ task }) => task.id)));
    return replaced.filter(({ task }) => !this.#passed!.has(task.id));
  }

  /** A service that comes back is read on behind its latest lines. */
  #interrupt(): void {
    for (const reading of this.#readings.values()) reading.isBegun = false;
  }

  /** A service that crashes for days has many tasks that are no more; a cursor has no room for them. */
  #forget(wanted: ReadonlySet<string>): void {
    for (const id of new Set([...this.#readings.keys(), ...this.#places.keys()])) {
      if (wanted.has(id) || this.#logs.has(id)) continue;
      this.#readings.delete(id);
      this.#places.delete(id);
      this.#lines.forget(id);
    }
  }

  #readingOf(one: KnownTask, isFirst: boolean): Reading {
    const { cursors, request } = this.#options;
    const { id } = one.task;
    let reading = this.#readings.get(id);
    if (reading === undefined) {
      reading = {
        place: placeOf(one),
        tail: isFirst && cursors.size === 0 ? request.tail : null, // a task that is new is read from its beginning
        isBegun: false,
        isWaiting: false,
        failures: 0,
        nextAt: 0,
      };
      this.#readings.set(id, reading);
    }
    return reading;
  }

  #begin(one: KnownTask, { tail }: Reading): boolean {
    const { engines, request, doing } = this.#options;
    const { id } = one.task;
    return this.#logs.add(id, () => logOf(engines, one, doing, this.#signal), {
      ...request,
      tail,
      cursor: this.#places.get(id),
    });
  }

  #joined(task: string, target: TaskLog): void {
    const reading = this.#readings.get(task);
    if (reading === undefined) return;
    const { task: named, node, via } = target;
    reading.place = { task: named, node, via };
    reading.isWaiting = false;
    reading.failures = 0;
  }

  /** Tells it once, until the task is read again. It is tried again while it is followed, and then told once there is room. */
  #waits(task: string, reason: string): void {
    const reading = this.#readings.get(task);
    if (reading === undefined || reading.isWaiting) return;
    if (this.#options.request.follow && !this.#isRoomy) return;
    reading.isWaiting = true;
    this.#send(this.#writer.waits(reading.place, reason));
  }

  #resumes(task: string): void {
    const reading = this.#readings.get(task);
    if (reading !== undefined) reading.isWaiting = false;
  }

  #left(task: string, error: ServiceError | "removed"): void {
    const reading = this.#readings.get(task);
    const isRead = error === "removed" || !AWAY.has(error.code);
    if (isRead) this.#passed?.add(task);
    if (reading === undefined || error === "removed") return;
    const { follow } = this.#options.request;
    const latest = this.#lines.latest(task);
    const isCut = !follow && latest !== null;
    // Its node is gone with the rest of its log
    if (isCut || isRead) return this.#send(this.#writer.missing(reading.place, latest ?? ""));
    this.#waits(task, error.code);
    if (!follow) return;
    reading.isBegun = false;
    reading.nextAt = performance.now() + Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** reading.failures);
    reading.failures += 1;
  }

  #told(places: ReadonlyMap<string, TaskPosition>): string {
    for (const [task, { cursor }] of places) this.#places.set(task, cursor);
    if (places.size === 0 || this.#options.format === "text") return ""; // text has no place for it
    if (this.#isPartOfTail) return "";
    const cursor = cursorText(this.#places);
    if (cursor === null && !this.#hasCursor) return "";
    this.#hasCursor = cursor !== null;
    return this.#writer.cursor(cursor ?? ""); // else the caller would keep one that lacks most tasks
  }

  /** True while a task of which the last lines are wanted has no place yet: behind a cursor without it, all its lines come. */
  get #isPartOfTail(): boolean {
    const missing = [...this.#readings].filter(([task, { tail }]) =>
      tail !== null && !this.#places.has(task)
    );
    if (missing.length === 0) return false;
    const { untold } = this.#lines;
    return missing.some(([task]) => untold.has(task) || this.#logs.readsPast(task));
  }

  get #isRoomy(): boolean {
    return (this.#controller.desiredSize ?? 0) > 0;
  }

  async #room(): Promise<void> {
    while (!this.#isRoomy && !this.#signal.aborted) await this.#hasRoom.opened;
  }

  #send(text: string): void {
    if (text !== "") this.#sendBytes(encoder.encode(text));
  }

  #sendBytes(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#leaving.signal.aborted) return;
    this.#lastAt = performance.now();
    this.#controller.enqueue(bytes);
  }

  /** Every source is one that `logOf` returned. */
  #taskOf(target: LiveContainer): TaskLog {
    return target as TaskLog;
  }
}
