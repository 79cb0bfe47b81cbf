/** The log of one container: resumed behind its last line, over restarts of berth and of the container. */
import { CONTAINER_LOGS } from "../../client/berth/containers.ts";
import { stream } from "../../client/stream.ts";
import { isStatusError } from "../../client/mod.ts";
import { LogFeed } from "./log_feed.ts";
import { problemOf } from "./problem.ts";
import { client, somebody } from "./session.ts";

/** From where a log is read: so many last lines, or what was written since then. */
export interface From {
  readonly tail?: number;
  readonly since?: string;
}

const PAUSE_MS = 1_000;
const FINAL = [403, 404];
/** A line of 256 KiB whose every byte is escaped. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

export class ContainerLog extends LogFeed {
  readonly #backend: string;
  readonly #id: string;
  readonly #from: From;
  #cursor: string | null = null;

  constructor(backend: string, id: string, from: From) {
    super();
    this.#backend = backend;
    this.#id = id;
    this.#from = from;
  }

  override async follow(ending: AbortSignal): Promise<void> {
    while (!ending.aborted) {
      try {
        if (await this.#read(ending)) {
          this.state.value = "ended";
          return;
        }
      } catch (error) {
        if (ending.aborted) return;
        const status = isStatusError(error) ? error.response.statusCode : 0;
        if (FINAL.includes(status)) {
          this.problem.value = problemOf(error);
          this.state.value = "ended";
          return;
        }
        this.state.value = "waiting";
        if (status === 401) {
          await somebody(ending);
          continue;
        }
      }
      this.state.value = "waiting";
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** Reads until the connection ends; whether that is the end of the log. */
  async #read(signal: AbortSignal): Promise<boolean> {
    const from = this.#cursor === null ? this.#from : { cursor: this.#cursor };
    const items = stream(client, CONTAINER_LOGS, {
      as: "ndjson",
      params: { id: this.#id },
      query: { follow: true, format: "ndjson", backend: this.#backend, ...from },
      maxItemBytes: MOST_CHARACTERS,
      signal,
    });
    this.state.value = "following";
    for await (const item of items) {
      if ("line" in item) {
        this.#cursor = item.cursor;
        this.lines.add(Date.parse(item.time), item.stream, 0, item.line);
      } else if ("gap" in item) {
        this.gap(item.gap);
      } else if ("end" in item) {
        if (item.end.reason === "stopping") return false;
        this.reason.value = item.end.reason;
        return true;
      } else return false;
    }
    return false;
  }
}
