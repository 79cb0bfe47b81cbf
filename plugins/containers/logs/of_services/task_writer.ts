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
import type { TaskPlace } from "./task_logs.ts";

export class TaskWriter {
  /** The time of the last line of each task. */
  readonly #latest = new Map<string, string>();
  /** Sent while there are no lines, so that no proxy closes the stream. */
  readonly heartbeat: string;

  constructor(private readonly format: LogFormat, private readonly timestamps: boolean) {
    this.heartbeat = format === "text" ? "" : format === "sse" ? ":\n\n" : "\n";
  }

  /** Returns the writer of a task's lines. For text a message is the text as a JSON string. */
  of(target: TaskPlace): LineWriter {
    const fixed = partsOf(target);
    const name = nameOf(target);
    const isText = this.format === "text";
    return {
      line: ({ time, stream, text, cut }) => {
        this.#latest.set(target.task.id, time);
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
          ? jsonText(missingText(target, gap.after))
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

  /** Returns true if a line of the task was told. */
  hasTold(task: string): boolean {
    return this.#latest.has(task);
  }

  /** Nothing more is told of the task. */
  forget(task: string): void {
    this.#latest.delete(task);
  }

  /** Its log cannot be read for now. */
  waits(target: TaskPlace, reason: string): string {
    return this.format === "text"
      ? `${nameOf(target)} | [cannot be read: ${reason}]\n`
      : this.#note(target, jsonMembers({ waits: jsonText({ reason }) }));
  }

  /** The rest of its log is missing. */
  missing(target: TaskPlace): string {
    const after = this.#latest.get(target.task.id) ?? "";
    return this.format === "text"
      ? missingText(target, after)
      : this.#note(target, jsonMembers({ gap: jsonText({ after, before: null }) }));
  }

  #note(target: TaskPlace, what: JsonMembers): string {
    return this.#record(jsonObject(partsOf(target), what));
  }

  end(reason: string): string {
    return this.format === "text" ? "" : this.#record(jsonText({ end: { reason } }));
  }

  #record(text: JsonText, id?: string): string {
    return this.format === "sse" ? `${id === undefined ? "" : `id: ${id}\n`}data: ${text}\n\n` : `${text}\n`;
  }
}

const nameOf = ({ task, node }: TaskPlace) => `${task.name}@${node}`;

const missingText = (target: TaskPlace, after: string) =>
  `${nameOf(target)} | [lines are missing${after && ` after ${after}`}]\n`;

const partsOf = ({ task, node, via }: TaskPlace): JsonMembers =>
  jsonMembers({
    task: jsonText(task.name),
    taskId: jsonText(task.id),
    node: jsonText(node),
    via: jsonText(via),
  });
