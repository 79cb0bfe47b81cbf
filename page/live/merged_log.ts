/** The logs of several containers in one: of a project, a workspace, or chosen ones, with those that come later. */
import { TERMINAL_COMPOSE_LOGS } from "../../client/berth/terminal.ts";
import { connect } from "../../client/connect.ts";
import { signal } from "@preact/signals";
import { LogFeed } from "./log_feed.ts";
import { client } from "./session.ts";

export interface Chosen {
  readonly project?: string;
  readonly workspace?: string;
  /** Each `<engine>/<name or id>`. */
  readonly containers?: readonly string[];
}

export class MergedLog extends LogFeed {
  /** How many containers are in sight whose logs one may not read. */
  readonly leftOut = signal(0);
  readonly #chosen: Chosen;
  readonly #tail: number;
  readonly #numbers = new Map<string, number>();
  #last: string | null = null;

  constructor(chosen: Chosen, tail: number) {
    super();
    this.#chosen = chosen;
    this.#tail = tail;
  }

  protected override async read(signal: AbortSignal): Promise<boolean> {
    const { project, workspace, containers } = this.#chosen;
    const query = {
      events: false,
      logs: true,
      tail: this.#last === null ? this.#tail : 0,
      ...(project === undefined ? {} : { project }),
      ...(workspace === undefined ? {} : { workspace }),
      ...(containers === undefined
        ? {}
        : { container: containers.map((one) => one.slice(one.indexOf("/") + 1)) }),
    };
    await using socket = await connect(client, TERMINAL_COMPOSE_LOGS, { query, signal });
    const since = this.#last;
    let isFirst = true;
    for await (const message of socket) {
      if (message instanceof Uint8Array) continue;
      switch (message.type) {
        case "hello":
          this.state.value = "following";
          break;
        case "log": {
          const { container: { id, name }, backend } = message;
          if (!this.#isChosen(backend, id, name)) break;
          // Where it was taken up again the lines in between are not told of.
          if (isFirst && since !== null) this.gap({ by: "us", after: since, before: message.time });
          isFirst = false;
          this.#last = message.time;
          const source = this.#numberOf(backend, id, name);
          this.lines.add(Date.parse(message.time), message.stream, source, message.line);
          break;
        }
        case "gap": {
          const { container, gap } = message;
          const source = container === undefined ? 0 : this.#numberOf("", container.id, container.name);
          this.gap({
            by: gap ? "engine" : "us",
            after: gap?.after ?? this.#last,
            before: gap?.before ?? null,
          }, source);
          break;
        }
        case "leftOut":
          this.leftOut.value = message.containers;
          break;
        case "error":
          return false;
      }
    }
    return false;
  }

  /** Names are unique on one engine alone. */
  #isChosen(backend: string, id: string, name: string): boolean {
    const { containers } = this.#chosen;
    return containers === undefined ||
      containers.some((one) => one === `${backend}/${name}` || one === `${backend}/${id}`);
  }

  #numberOf(backend: string, id: string, name: string): number {
    let number = this.#numbers.get(id);
    if (number === undefined) {
      number = this.sources.push({ key: id, name, backend }) - 1;
      this.#numbers.set(id, number);
    }
    return number;
  }
}
