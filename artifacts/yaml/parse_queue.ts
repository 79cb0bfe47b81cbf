/** Parses texts in one worker, one after the other; the worker ends when no text is left. */

import { placeOf } from "../../core/place.ts";
import { YAML_BUDGETS } from "./budgets.ts";
import type { Encoded } from "./parsed_codec.ts";
import type { Source } from "./source.ts";

/** One for each workspace. */
export class ParseQueue {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #worker: Worker | null = null;

  /** Null where parsing takes too long. */
  async parse(source: Source): Promise<Encoded | null> {
    this.#waiting++;
    const turn = this.#last.then(() => this.#parse(source));
    this.#last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      if (--this.#waiting === 0) this.#end();
    }
  }

  #parse(source: Source): Promise<Encoded | null> {
    const worker = this.#worker ??= new Worker(placeOf("artifacts/yaml/parse_worker.ts"), { type: "module" });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#end();
        resolve(null);
      }, YAML_BUDGETS.workerMs);
      worker.onmessage = (event: MessageEvent<Encoded>) => {
        clearTimeout(timer);
        resolve(event.data);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        clearTimeout(timer);
        this.#end();
        reject(new Error(`The parser's worker failed: ${event.message}`));
      };
      worker.postMessage(source);
    });
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }
}
