/** Writes what the tasks of a service say, each line with its task and node. */
import {
  type JsonMembers,
  jsonMembers,
  jsonObject,
  type JsonText,
  jsonText,
} from "../../../../core/json_text.ts";
import type { LogFormat } from "../log_formats.ts";
import type { LineWriter } from "../merged_logs.ts";
import type { TaskLog } from "./task_logs.ts";

export class TaskWriter {
  /** The time of the last line of each task. */
  readonly latest = new Map<string, string>();
  /** Sent while there are no lines, so that no proxy closes the stream. */
  readonly heartbeat: string;

  constructor(private readonly format: LogFormat, private readonly timestamps: boolean) {
    this.heartbeat = format === "text" ? "" : format === "sse" ? ":\n\n" : "\n";
  }

  /** Returns the writer of a task's lines. For text a message is the text as a JSON string. */
  of(target: TaskLog): LineWriter {
    const fixed = partsOf(target);
    const name = `${target.task.name}@${target.node}`;
    const isText = this.format === "text";
    return {
      line: ({ time, stream, text, cut }) => {
        this.latest.set(target.task.id, time);
        if (isText) return jsonText(`${this.timestamps ? `${time} ` : ""}${name} | ${text}\n`);
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
      gap: (gap) =>
        isText
          ? jsonText(`${name} | [lines are missing after ${gap.after}]\n`)
          : jsonObject(fixed, jsonMembers({ gap: jsonText(gap) })),
    };
  }

  /** Returns messages, and the place behind them where there is one. */
  frame(messages: readonly JsonText[], cursor: string | null): string {
    if (this.format === "text") return messages.map((one) => JSON.parse(one)).join("");
    const place = cursor === null
      ? ""
      : this.#record(jsonObject(jsonMembers({ cursor: jsonText(cursor) })), cursor);
    return messages.map((one) => this.#record(one)).join("") + place;
  }

  note(target: TaskLog, name: string, value: Readonly<Record<string, unknown>>): string {
    return this.format === "text"
      ? ""
      : this.#record(jsonObject(partsOf(target), jsonMembers({ [name]: jsonText(value) })));
  }

  end(reason: string): string {
    return this.format === "text" ? "" : this.#record(jsonText({ end: { reason } }));
  }

  #record(text: JsonText, id?: string): string {
    return this.format === "sse" ? `${id === undefined ? "" : `id: ${id}\n`}data: ${text}\n\n` : `${text}\n`;
  }
}

const partsOf = ({ task, node, via }: TaskLog): JsonMembers =>
  jsonMembers({
    task: jsonText(task.name),
    taskId: jsonText(task.id),
    node: jsonText(node),
    via: jsonText(via),
  });
