/** Writes what the tasks of a service say, each line with its task and node. */
import {
  type JsonMembers,
  jsonMembers,
  jsonObject,
  type JsonText,
  jsonText,
} from "../../../../core/json_text.ts";
import type { LogFormat } from "../log_formats.ts";
import type { Gap } from "../log_position.ts";
import type { TaskPlace } from "./task_logs.ts";

export class TaskWriter {
  /** Sent while there are no lines, so that no proxy closes the stream. */
  readonly heartbeat: string;

  constructor(private readonly format: LogFormat) {
    this.heartbeat = format === "text" ? "" : format === "sse" ? ":\n\n" : "\n";
  }

  /** Returns the beginning of each line of a task; of a record, up to its time. */
  fixed(target: TaskPlace): string {
    if (this.format === "text") return `${nameOf(target)} | `;
    return `${this.format === "sse" ? "data: " : ""}{${partsOf(target)},"time":"`;
  }

  gap(target: TaskPlace, gap: Gap): string {
    return this.format === "text"
      ? missingText(target, gap.after)
      : this.#note(target, jsonMembers({ gap: jsonText(gap) }));
  }

  /** The place of all tasks behind the lines before it; empty where a cursor has no room for them. */
  cursor(cursor: string): string {
    return this.format === "text"
      ? ""
      : this.#record(jsonObject(jsonMembers({ cursor: jsonText(cursor) })), cursor);
  }

  /** Its log cannot be read for now. */
  waits(target: TaskPlace, reason: string): string {
    return this.format === "text"
      ? `${nameOf(target)} | [cannot be read: ${reason}]\n`
      : this.#note(target, jsonMembers({ waits: jsonText({ reason }) }));
  }

  /** The rest of its log is missing, from its last line on. */
  missing(target: TaskPlace, after: string): string {
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
