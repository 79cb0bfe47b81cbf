/** The logs of a service's tasks, merged, as the body of an answer. */
import { type KnownService, type KnownTask, NO_SERVICES } from "../../../core/running_services.ts";
import { jsonMembers, jsonObject, type JsonText, jsonText } from "../../../core/json_text.ts";
import type { ServiceError } from "../../../core/error.ts";
import type { Engines } from "../backends/seen.ts";
import type { Awaken } from "../logs/awaken.ts";
import { MergedLogs } from "../logs/merged_logs.ts";
import type { LogRequest } from "../logs/log_source.ts";
import { cursorText } from "./cursors.ts";
import { hasEnded, logOf, type TaskLog } from "./task_logs.ts";

/** Lines of different nodes are sorted when they come within this time. */
const ORDER_MS = 250;
/** Memory is looked at for tasks that are new, or have ended. */
const LOOK_MS = 250;
const ROOM_BYTES = 256 * 1024;
const HEARTBEAT_MS = 15_000;
const encoder = new TextEncoder();

export type Format = "text" | "ndjson" | "sse";

interface ServiceLogOptions {
  readonly engines: Engines;
  readonly awaken: Awaken;
  /** Returns the tasks that are wanted now. */
  readonly tasks: () => readonly KnownTask[];
  readonly request: LogRequest;
  readonly search: string | undefined;
  readonly timestamps: boolean;
  readonly cursors: ReadonlyMap<string, string>;
  readonly format: Format;
  readonly doing: string;
  readonly signal: AbortSignal;
  /** Returns the reason that berth ended the stream. */
  readonly reason: () => string;
  readonly onEnd: () => void;
}

/** Returns the tasks of a service: those that are to run or may run on, or all that are remembered. */
export function tasksOf(engines: Engines, { service }: KnownService, isAll: boolean): () => KnownTask[] {
  return () => {
    const known = (engines.services?.() ?? NO_SERVICES).items.find((one) => one.service.id === service.id);
    return (known?.service.tasks ?? [])
      .filter((task) => task.container !== null && (isAll || task.desired || task.state === "lost"))
      .map((task) => ({ known: known!, task })); // a task is of a service
  };
}

export function serviceLog(options: ServiceLogOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { engines, awaken, request, search, cursors, format, doing, reason, onEnd } = options;
  const leaving = new AbortController();
  const signal = AbortSignal.any([options.signal, leaving.signal]);
  let controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>; // `start` runs before anything else
  let makeRoom = () => {};
  let lastAt = performance.now();
  const isJson = format !== "text";
  const send = (text: string) => {
    if (text === "" || leaving.signal.aborted) return;
    lastAt = performance.now();
    controller.enqueue(encoder.encode(text));
  };
  const record = (text: JsonText, id?: string) =>
    format === "sse" ? `${id === undefined ? "" : `id: ${id}\n`}data: ${text}\n\n` : `${text}\n`;
  const places = new Map(cursors);
  const targets = new Map<string, TaskLog>();
  const latest = new Map<string, string>();
  const logs = new MergedLogs({
    viewer: {
      frame: (messages, read) => {
        for (const [task, place] of read) places.set(task, place);
        if (!isJson) return send(messages.map((one) => JSON.parse(one)).join(""));
        const cursor = read.size === 0 ? null : cursorText(places);
        const end = cursor === null
          ? ""
          : record(jsonObject(jsonMembers({ cursor: jsonText(cursor) })), cursor);
        send(messages.map((one) => record(one)).join("") + end);
      },
      ready: async () => {
        while ((controller.desiredSize ?? 0) <= 0 && !signal.aborted) {
          await new Promise<void>((resolve) => makeRoom = resolve);
        }
      },
      write: (target) => writerOf(target as TaskLog),
      joined: (task, target) => targets.set(task, target as TaskLog),
      waits: (task, error) => note(task, { waits: { reason: error.code } }),
      left: (task, error) => left(task, error),
    },
    awaken,
    search,
    signal,
    orderMs: ORDER_MS,
  });

  const parts = ({ task, node, via }: TaskLog) => ({
    task: jsonText(task.name),
    taskId: jsonText(task.id),
    node: jsonText(node),
    via: jsonText(via),
  });
  function writerOf(target: TaskLog) {
    const fixed = jsonMembers(parts(target));
    const name = `${target.task.name}@${target.node}`;
    return {
      line: ({ time, stream, text, cut }: {
        readonly time: string;
        readonly stream: "stdout" | "stderr";
        readonly text: string;
        readonly cut: boolean;
      }) => {
        latest.set(target.task.id, time);
        if (!isJson) return jsonText(`${options.timestamps ? `${time} ` : ""}${name} | ${text}\n`);
        return jsonObject(
          fixed,
          jsonMembers({
            time: jsonText(time),
            stream: jsonText(stream),
            line: jsonText(text),
            cut: cut ? jsonText(true) : undefined,
          }),
        );
      },
      gap: (gap: { readonly after: string; readonly before: string | null }) =>
        isJson
          ? jsonObject(fixed, jsonMembers({ gap: jsonText(gap) }))
          : jsonText(`${name} | [lines are missing after ${gap.after}]\n`),
    };
  }
  /** Tells something of a task that is no line. */
  const note = (task: string, told: Readonly<Record<string, NonNullable<unknown>>>) => {
    const target = targets.get(task);
    if (!isJson || target === undefined) return;
    const [[name, value] = ["note", ""]] = Object.entries(told);
    send(record(jsonObject(jsonMembers(parts(target)), jsonMembers({ [name]: jsonText(value) }))));
  };
  const left = (task: string, error: ServiceError | "removed") => {
    if (error === "removed") return;
    // Its node is gone with the rest of its log
    note(task, { gap: { after: latest.get(task) ?? "", before: null } });
  };

  const isNamed = (id: string) => cursors.has(id);
  const begun = new Set<string>();
  const look = (isFirst: boolean) => {
    for (const one of options.tasks()) {
      const { id } = one.task;
      if (begun.has(id)) continue;
      begun.add(id);
      logs.add(id, () => logOf(engines, one, doing, signal), {
        ...request,
        // A task that is new is read from its beginning
        tail: isFirst ? request.tail : null,
        cursor: isNamed(id) ? cursors.get(id) : undefined,
      });
    }
    for (const id of logs.sources) if (request.follow && hasEnded(engines, id)) logs.end(id);
  };
  const run = async () => {
    look(cursors.size === 0);
    if (!request.follow) return await logs.ended();
    const ended = Promise.withResolvers<void>();
    const clock = setInterval(() => look(false), LOOK_MS);
    signal.addEventListener("abort", () => ended.resolve());
    if (signal.aborted) ended.resolve();
    await ended.promise;
    clearInterval(clock);
  };
  const beat = setInterval(() => {
    if (isJson && performance.now() - lastAt > HEARTBEAT_MS) send(format === "sse" ? ":\n\n" : "\n");
  }, HEARTBEAT_MS / 3);
  const over = async () => {
    clearInterval(beat);
    makeRoom();
    await logs[Symbol.asyncDispose]();
    onEnd();
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(given) {
      controller = given;
      signal.addEventListener("abort", () => makeRoom());
      run().then(() => {
        if (options.signal.aborted && isJson) send(record(jsonText({ end: { reason: reason() } })));
      }).finally(over).then(
        () => leaving.signal.aborted || controller.close(),
        (error) => controller.error(error),
      );
    },
    pull: () => makeRoom(),
    cancel() {
      leaving.abort();
    },
  }, new ByteLengthQueuingStrategy({ highWaterMark: ROOM_BYTES }));
}
