import assert from "node:assert/strict";
import type { LiveContainer } from "../backends/live_container.ts";
import { earlierLines, SearchBudget } from "./earlier_logs.ts";
import { ofMs } from "./log_time.ts";

const encoder = new TextEncoder();
const BEGAN = Date.parse("2026-01-01T00:00:00Z");

/** A frame of Docker's with one line: `number` is also its second. */
function frame(number: number): Uint8Array<ArrayBuffer> {
  const time = new Date(BEGAN + number * 1000).toISOString().replace("Z", "000001Z");
  const text = encoder.encode(`${time} line ${number}\n`);
  const bytes = new Uint8Array(8 + text.length);
  bytes[0] = 1;
  new DataView(bytes.buffer).setUint32(4, text.length);
  bytes.set(text, 8);
  return bytes;
}

const FRAMES = Array.from({ length: 2_000 }, (_, number) => frame(number));

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A container with 2,000 lines, one a second. Its engine sends nothing behind the head where it hangs. */
function container(hangs: (query: URLSearchParams) => boolean = () => false): LiveContainer {
  const numbers = [...FRAMES.keys()];
  const connect = () => {
    let answer = new Uint8Array();
    let isHanging = false;
    const closed = Promise.withResolvers<null>();
    return Promise.resolve({
      write: (request: Uint8Array) => {
        const query = new URL(new TextDecoder().decode(request).split(" ")[1]!, "http://engine").searchParams;
        isHanging = hangs(query);
        const since = Number(query.get("since") ?? 0) * 1000 - BEGAN;
        const until = Number(query.get("until") ?? Infinity) * 1000 - BEGAN;
        const all = numbers.filter((number) => number * 1000 >= since && number * 1000 <= until);
        const lines = query.has("tail") ? all.slice(-Number(query.get("tail"))) : all;
        const head = encoder.encode("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        answer = joined([head, ...isHanging ? [] : lines.map((number) => FRAMES[number]!)]);
        return Promise.resolve(request.length);
      },
      read: (into: Uint8Array) => {
        if (answer.length === 0) return isHanging ? closed.promise : Promise.resolve(null);
        const part = answer.subarray(0, into.length);
        answer = answer.subarray(part.length);
        into.set(part);
        return Promise.resolve(part.length);
      },
      close: () => closed.resolve(null),
      closeWrite: () => Promise.resolve(),
    });
  };
  const engine = {
    name: "one",
    host: "one",
    doubt: new AbortController().signal,
    target: (_path: unknown, query: Record<string, unknown>) => {
      const asked = Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]]
      );
      return Promise.resolve(`/logs?${new URLSearchParams(asked)}`);
    },
    connect,
  };
  const plain = {
    id: "c",
    name: "c",
    kind: "docker",
    running: true,
    paused: false,
    life: "x",
    terminal: false,
  };
  return { ...plain, engine, environment: [], labels: {}, rotates: false } as unknown as LiveContainer;
}

const wish = (budget: SearchBudget, until: number | null = null) => ({
  before: null,
  until: until === null ? null : ofMs(BEGAN + until * 1000),
  since: null,
  search: "line",
  most: 100,
  budget,
  signal: new AbortController().signal,
});

Deno.test("earlierLines() answers with what it looked at where others spent the budget, and each answer looks further back", async () => {
  const searched = { ...wish(new SearchBudget(0, 5_000)), search: "nothing has this" };
  const first = await earlierLines(container(), searched);
  assert.deepEqual(first, { lines: [], lookedFrom: { seconds: BEGAN / 1000 + 1_000, nanos: 1 } });

  let until = first.lookedFrom;
  for (let page = 0; page < 3; page++) {
    const { lookedFrom } = await earlierLines(container(), {
      ...searched,
      until,
      budget: new SearchBudget(0, 5_000),
    });
    assert.ok(lookedFrom !== null && lookedFrom.seconds < until!.seconds);
    until = lookedFrom;
  }
  const rest = await earlierLines(container(), { ...searched, until, budget: new SearchBudget(1e9, 5_000) });
  assert.equal(rest.lookedFrom, null);
});

Deno.test("earlierLines() ends in time where the engine sends nothing, and answers by time where it hangs over the last lines alone", async () => {
  const began = performance.now();
  await assert.rejects(earlierLines(container(() => true), wish(new SearchBudget(1e9, 200))), {
    code: "engine_timeout",
  });
  assert.ok(performance.now() - began < 5_000);

  const byTime = await earlierLines(
    container((query) => query.has("tail")),
    wish(new SearchBudget(1e9, 1_500), 1_999),
  );
  assert.equal(byTime.lines.at(-1)?.line, "line 1998");
  assert.ok(byTime.lines.length > 2);
});
