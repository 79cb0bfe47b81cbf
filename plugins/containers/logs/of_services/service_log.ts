/** The logs of a service's tasks, merged, as the body of an answer. */
import type { JsonText } from "../../../../core/json_text.ts";
import type { Engines } from "../../backends/seen.ts";
import type { Awaken } from "../awaken.ts";
import type { LiveContainer } from "../../backends/live_container.ts";
import { MergedLogs } from "../merged_logs.ts";
import type { LogFormat } from "../log_formats.ts";
import type { LogRequest } from "../log_request.ts";
import { cursorText } from "./cursors.ts";
import type { TasksNow } from "./service_tasks.ts";
import { logOf, type TaskLog } from "./task_logs.ts";
import { TaskWriter } from "./task_writer.ts";

/** Lines of different nodes are sorted when they come within this time. */
const ORDER_MS = 250;
/** Memory is looked at for tasks that are new, or have ended. */
const LOOK_MS = 250;
const ROOM_BYTES = 256 * 1024;
const HEARTBEAT_MS = 15_000;
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

export function serviceLog(options: ServiceLogOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    new ServiceLog(options),
    new ByteLengthQueuingStrategy({ highWaterMark: ROOM_BYTES }),
  );
}

class ServiceLog implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #options: ServiceLogOptions;
  readonly #writer: TaskWriter;
  readonly #logs: MergedLogs;
  readonly #leaving = new AbortController();
  readonly #signal: AbortSignal;
  readonly #places: Map<string, string>;
  readonly #targets = new Map<string, TaskLog>();
  readonly #begun = new Set<string>();
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>; // `start` comes before anything else
  #makeRoom = () => {};
  #lastAt = performance.now();

  constructor(options: ServiceLogOptions) {
    this.#options = options;
    this.#writer = new TaskWriter(options.format, options.timestamps);
    this.#signal = AbortSignal.any([options.signal, this.#leaving.signal]);
    this.#places = new Map(options.cursors);
    this.#logs = new MergedLogs({
      viewer: {
        frame: (messages, read) => this.#frame(messages, read),
        ready: () => this.#room(),
        write: (target) => this.#writer.of(this.#taskOf(target)),
        joined: (task, target) => void this.#targets.set(task, this.#taskOf(target)),
        waits: (task, error) => this.#note(task, "waits", { reason: error.code }),
        // Its node is gone with the rest of its log.
        left: (task, error) =>
          error !== "removed" &&
          this.#note(task, "gap", { after: this.#writer.latest.get(task) ?? "", before: null }),
      },
      awaken: options.awaken,
      search: options.search,
      signal: this.#signal,
      orderMs: ORDER_MS,
    });
  }

  start(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    this.#controller = controller;
    this.#signal.addEventListener("abort", () => this.#makeRoom());
    this.#run().then(
      () => this.#leaving.signal.aborted || controller.close(),
      (error) => controller.error(error),
    );
  }

  pull(): void {
    this.#makeRoom();
  }

  cancel(): void {
    this.#leaving.abort();
  }

  async #run(): Promise<void> {
    const { request, cursors, signal, reason, onEnd } = this.#options;
    const beat = setInterval(() => {
      if (performance.now() - this.#lastAt > HEARTBEAT_MS) this.#send(this.#writer.heartbeat);
    }, HEARTBEAT_MS / 3);
    try {
      this.#look(cursors.size === 0);
      if (!request.follow) return await this.#logs.ended();
      const clock = setInterval(() => this.#look(false), LOOK_MS);
      if (!this.#signal.aborted) {
        await new Promise<void>((resolve) => this.#signal.addEventListener("abort", () => resolve()));
      }
      clearInterval(clock);
      if (signal.aborted) this.#send(this.#writer.end(reason()));
    } finally {
      clearInterval(beat);
      this.#makeRoom();
      await this.#logs[Symbol.asyncDispose]();
      onEnd();
    }
  }

  /** Begins to read tasks that are new, reads those that have ended to their end, and ends what left the scope. */
  #look(isFirst: boolean): void {
    const { engines, tasks, request, cursors, doing } = this.#options;
    const { wanted, fateOf } = tasks();
    for (const one of wanted) {
      const { id } = one.task;
      if (this.#begun.has(id)) continue;
      this.#begun.add(id);
      this.#logs.add(id, () => logOf(engines, one, doing, this.#signal), {
        ...request,
        tail: isFirst ? request.tail : null, // a task that is new is read from its beginning
        cursor: cursors.get(id),
      });
    }
    for (const id of this.#logs.sources) {
      const fate = fateOf(id);
      if (fate === "hidden") this.#logs.remove(id);
      else if (fate === "ended" && request.follow) this.#logs.end(id);
    }
  }

  #frame(messages: readonly JsonText[], read: ReadonlyMap<string, string>): void {
    for (const [task, place] of read) this.#places.set(task, place);
    const cursor = read.size === 0 ? null : cursorText(this.#places);
    this.#send(this.#writer.frame(messages, cursor));
  }

  async #room(): Promise<void> {
    while ((this.#controller.desiredSize ?? 0) <= 0 && !this.#signal.aborted) {
      await new Promise<void>((resolve) => this.#makeRoom = resolve);
    }
  }

  #send(text: string): void {
    if (text === "" || this.#leaving.signal.aborted) return;
    this.#lastAt = performance.now();
    this.#controller.enqueue(encoder.encode(text));
  }

  /** Tells something of a task that is no line. */
  #note(task: string, name: "waits" | "gap", value: Readonly<Record<string, unknown>>): void {
    const target = this.#targets.get(task);
    if (target !== undefined) this.#send(this.#writer.note(target, name, value));
  }

  /** Every source is one that `logOf` returned. */
  #taskOf(target: LiveContainer): TaskLog {
    return target as TaskLog;
  }
}
