/** Texts waiting for the parser's worker: one worker, one text at a time, gone when there are none left. */

import { YAML_BUDGETS } from "./budgets.ts";
import type { Source } from "./parse_file.ts";
import type { Encoded } from "./parsed_codec.ts";

let last: Promise<unknown> = Promise.resolve();
let waiting = 0;
let worker: Worker | null = null;

/** Null once its time is over. */
export async function parseInWorker(source: Source): Promise<Encoded | null> {
  waiting++;
  const turn = last.then(() => parse(source));
  last = turn.catch(() => {});
  try {
    return await turn;
  } finally {
    if (--waiting === 0) end();
  }
}

function parse(source: Source): Promise<Encoded | null> {
  const current = worker ??= new Worker(import.meta.resolve("./parse_worker.ts"), { type: "module" });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      end();
      resolve(null);
    }, YAML_BUDGETS.workerMs);
    current.onmessage = (event: MessageEvent<Encoded>) => {
      clearTimeout(timer);
      resolve(event.data);
    };
    current.onerror = (event) => {
      event.preventDefault();
      clearTimeout(timer);
      end();
      reject(new Error(`The parser's worker failed: ${event.message}`));
    };
    current.postMessage(source);
  });
}

function end(): void {
  worker?.terminate();
  worker = null;
}
