/** The log of one container: resumed behind its last line, over restarts of berth and of the container. */
import { CONTAINER_LOGS } from "../../client/berth/containers.ts";
import { stream } from "../../client/stream.ts";
import { isStatusError } from "../../client/mod.ts";
import { type From, LogFeed } from "./log_feed.ts";
import { problemOf } from "./problem.ts";
import { client, somebody } from "./session.ts";

const PAUSE_MS = 1_000;
const FINAL = [400, 403, 404];
/** A line of 256 KiB whose every byte is escaped. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

export class ContainerLog extends LogFeed {
  readonly #backend: string;
  readonly #id: string;
  readonly #key: string;
  /** The place to begin at: the cursor of a line, or a parameter of the API. */
  readonly #at: string | null;
  #from: From;
  #cursor: string | null = null;

  constructor(backend: string, id: string, from: From, at: string | null = null) {
    super();
    this.#backend = backend;
    this.#id = id;
    this.#key = `${backend}/${id}`;
    this.#from = from;
    this.#at = at;
  }

  override get keys(): readonly string[] {
    return [this.#key];
  }

  protected override sourceOf(): number {
    return 0;
  }

  override async follow(ending: AbortSignal): Promise<void> {
    let at = this.#at;
    while (!ending.aborted) {
      try {
        if (at !== null) this.#from = await this.fromOf({ source: this.#key, cursor: at }, ending);
        at = null;
        if (await this.#read(ending)) {
          this.state.value = "ended";
          return;
        }
      } catch (error) {
        if (ending.aborted) return;
        const problem = isStatusError(error) ? problemOf(error) : null;
        if (FINAL.includes(problem?.status ?? 0)) {
          this.problem.value = problem;
          this.state.value = "ended";
          return;
        }
        if (problem?.status === 401) {
          this.waits(null); // the page asks for a sign-in
          await somebody(ending);
          continue;
        }
        this.waits(problem);
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
    const asked = this.asks();
    try {
      for await (const item of items) {
        if ("error" in item) {
          this.waits({ ...item.error, status: 0, requestId: null, errors: [] });
          return false;
        }
        this.heard();
        if ("line" in item) {
          this.#cursor = item.cursor;
          this.begins(this.#key, item.cursor);
          this.lines.add(Date.parse(item.time), item.stream, 0, item.line);
        } else if ("gap" in item) {
          this.gap(item.gap);
        } else {
          // A caller who has lost the permission learns the reason from the next request, and may only have to
          // sign in.
          if (["stopping", "not_allowed"].includes(item.end.reason)) return false;
          this.reason.value = item.end.reason;
          return true;
        }
      }
      return false;
    } finally {
      asked.end();
    }
  }
}
