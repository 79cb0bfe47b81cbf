/** Server-sent events out of text, as the HTML standard reads them. */

/** One event. */
export interface ServerSentEvent {
  /** Its `event` field; `message` when there is none. */
  readonly event: string;
  /** Its `data` lines, joined by newlines. */
  readonly data: string;
  /** The last `id` seen, this event's or an earlier one's. */
  readonly id: string;
}

/** Takes text as it comes and gives the events that are complete. */
export class EventDecoder {
  #rest = "";
  #skipNewline = false;
  #event = "";
  #data: string | undefined;
  #id = "";

  /** The characters that wait for the rest of their event. */
  get pending(): number {
    return this.#rest.length + (this.#data?.length ?? 0);
  }

  /** The events that this text completes. */
  push(text: string): ServerSentEvent[] {
    if (this.#skipNewline && text.startsWith("\n")) text = text.slice(1);
    this.#skipNewline = text ? text.endsWith("\r") : this.#skipNewline;
    if (!/[\r\n]/.test(text)) {
      this.#rest += text;
      return [];
    }
    const lines = (this.#rest + text).split(/\r\n|\r|\n/);
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.#take(line));
  }

  /**
   * Returns the events that the end completes: none, because an event without its blank line does not count.
   */
  end(): ServerSentEvent[] {
    return [];
  }

  #take(line: string): ServerSentEvent[] {
    if (line === "") {
      const [event, data] = [this.#event || "message", this.#data];
      this.#event = "";
      this.#data = undefined;
      return data === undefined ? [] : [{ event, data, id: this.#id }];
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return [];
  }
}
