/** The log route in front of a test's engine, and somebody who reads from it. */
import { findOn, staysSeen } from "./one_engine.ts";
import { Engine } from "../../engines/calls/engine.ts";
import { logRoutes } from "../../plugins/containers/logs/routes.ts";
import { StreamLimit } from "../../plugins/containers/backends/stream_limit.ts";
import type { TestEngine } from "./engine.ts";
import { StreamService } from "./stream_service.ts";

export interface Line {
  readonly cursor: string;
  readonly time: string;
  readonly stream: string;
  readonly line: string;
  readonly end?: { reason: string };
}

export function logsOf(
  { kind, socket }: Pick<TestEngine, "kind" | "socket">,
  streamLimit = new StreamLimit(),
) {
  const engine = new Engine(kind, { kind: "unix", path: socket });
  const service = new StreamService(logRoutes({ find: findOn(engine), whileSeen: staysSeen, streamLimit }));
  return {
    service,
    get: service.get.bind(service),
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      engine[Symbol.dispose]();
    },
  };
}

/** Reads NDJSON in the background. */
export class Follower {
  readonly lines: Line[] = [];
  readonly done: Promise<void>;
  readonly #reader: ReadableStreamDefaultReader<string>;

  constructor(response: Response) {
    this.#reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    this.done = this.#read();
  }

  get texts(): string[] {
    return this.lines.flatMap(({ line }) => line ?? []);
  }

  async leave(): Promise<void> {
    await this.#reader.cancel();
    await this.done;
  }

  async #read(): Promise<void> {
    let rest = "";
    for (let next = await this.#reader.read(); !next.done; next = await this.#reader.read()) {
      const lines = (rest + next.value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") this.lines.push(JSON.parse(line));
    }
  }
}
