/** Lines of tasks as bytes, beside the same lines sorted and written as objects. */
import assert from "node:assert/strict";
import type { LiveContainer } from "../../backends/live_container.ts";
import type { LogFormat } from "../log_formats.ts";
import { LogPosition } from "../log_position.ts";
import type { TaskPosition } from "./task_batch.ts";
import { TaskLines } from "./task_lines.ts";
import { TaskWriter } from "./task_writer.ts";

const BASE = Date.parse("2026-01-02T23:59:58Z");
const SOURCES = 5;
const LINES = 2_000;
const TEXTS = [
  "",
  "plain",
  'with "quotes" and \\',
  "übergroß 🦆",
  "tab\tand \u0001",
  "x".repeat(700),
  "ends\r",
];

interface Said {
  readonly source: number;
  readonly time: string;
  readonly text: string;
  readonly stream: 1 | 2;
}

/** A generator of numbers below `most`, the same for each seed. */
function random(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = Math.imul(state ^ state >>> 15, 0x2c1b3c6d) + 0x9e3779b9 | 0;
    return (state >>> 0) % most;
  };
}

/** Lines of several tasks as they arrive: in blocks, of one task nearly in order, some at the same nanosecond. */
function said(below: (most: number) => number): Said[] {
  const at = Array.from({ length: SOURCES }, () => 0);
  const all: Said[] = [];
  while (all.length < LINES) {
    const source = below(SOURCES);
    for (let block = below(20); block >= 0; block -= 1) {
      at[source]! += below(4) === 0 ? 0 : below(9) === 0 ? -below(1_000_000) : below(1_500_000);
      const nanos = Math.max(0, at[source]!);
      const seconds = new Date(BASE + Math.floor(nanos / 1e9) * 1_000).toISOString().slice(0, 19);
      const time = `${seconds}.${String(nanos % 1e9).padStart(9, "0")}Z`;
      all.push({ source, time, text: TEXTS[below(TEXTS.length)]!, stream: below(3) === 0 ? 2 : 1 });
    }
  }
  return all;
}

const placeOf = (source: number) => ({
  task: { id: `t${source}`, name: `web.${source}` },
  node: "node1",
  via: "node",
});

/** Writes them by way of bytes. */
async function written(all: readonly Said[], format: LogFormat, timestamps: boolean) {
  const told: Uint8Array<ArrayBuffer>[] = [];
  const places: ReadonlyMap<string, TaskPosition>[] = [];
  let isAsked = false;
  const lines = new TaskLines({
    format,
    timestamps,
    writer: new TaskWriter(format),
    send: (bytes) => {
      assert.ok(isAsked, "room is asked for before each piece");
      isAsked = false;
      told.push(bytes);
      assert.equal(places.length, told.length, "each piece has its places");
    },
    ready: () => {
      isAsked = true;
      return Promise.resolve();
    },
    told: (read) => {
      places.push(read);
      return "";
    },
  });
  const positions = Array.from({ length: SOURCES }, () => new LogPosition());
  const sources = positions.map((position, at) =>
    lines.of(`t${at}`, placeOf(at) as unknown as LiveContainer, position) // as far as it is read
  );
  for (const one of all) {
    const line = asLine(one);
    positions[one.source]!.admit(line, () => assert.fail());
    sources[one.source]!.line(line);
  }
  await lines.tell();
  const end = format === "sse" ? /\n\n$/ : /\n$/;
  for (const one of told) assert.match(new TextDecoder().decode(one), end, "no record is sent in two pieces");
  return { pieces: told.map((one) => new TextDecoder().decode(one)), places };
}

function asLine({ time, text, stream }: Said) {
  const bytes = new TextEncoder().encode(`${time} ${text}`);
  const to = bytes.byteLength;
  return { stream, bytes, timeFrom: 0, timeTo: 30, from: 31, to, ended: true, cut: false };
}

/** The same lines in the order of their times, no line of a task before an earlier one of it. */
function sorted(all: readonly Said[]): Said[] {
  const latest = new Map<number, string>();
  return all.map((one) => {
    const before = latest.get(one.source) ?? "";
    const by = one.time > before ? one.time : before;
    latest.set(one.source, by);
    return { one, by };
  }).sort((a, b) => a.by < b.by ? -1 : a.by > b.by ? 1 : 0).map(({ one }) => one);
}

const lineOf = (text: string) => text.replace(/\r$/, "");

const EXPECTED: Readonly<Record<LogFormat, (one: Said, timestamps: boolean) => string>> = {
  text: ({ source, time, text }, timestamps) =>
    `${timestamps ? `${time} ` : ""}web.${source}@node1 | ${lineOf(text)}\n`,
  ndjson: ({ source, time, stream, text }) =>
    `${
      JSON.stringify({
        task: `web.${source}`,
        taskId: `t${source}`,
        node: "node1",
        via: "node",
        time,
        stream: stream === 2 ? "stderr" : "stdout",
        line: lineOf(text),
      })
    }\n`,
  sse: (one) => `data: ${EXPECTED.ndjson(one, false)}\n`,
};

for (
  const [format, timestamps] of [["text", false], ["text", true], ["ndjson", false], ["sse", false]] as const
) {
  Deno.test(`TaskLines tells ${format}${timestamps ? " with times" : ""} as a stable sort by time does`, async () => {
    for (const seed of [1, 2, 3]) {
      const all = said(random(seed));

      const { pieces, places } = await written(all, format, timestamps);

      const order = sorted(all);
      const expected = order.map((one) => EXPECTED[format](one, timestamps));
      assert.deepEqual(pieces.join("").split("\n"), expected.join("").split("\n"));
      // A cursor is the position of somebody who has read exactly these lines
      const read = Array.from({ length: SOURCES }, () => new LogPosition());
      assert.ok(pieces.length > 3, `${pieces.length}`);
      for (const [at, piece] of pieces.entries()) {
        const lines = order.splice(0, piece.split(format === "sse" ? "\n\n" : "\n").length - 1);
        for (const line of lines) read[line.source]!.admit(asLine(line), () => assert.fail());
        const latest = new Map(lines.map((line) => [`t${line.source}`, line.time]));
        assert.deepEqual(
          places[at],
          new Map(
            read.flatMap((one, source) => {
              const time = latest.get(`t${source}`);
              return time === undefined ? [] : [[`t${source}`, { cursor: one.toString(), latest: time }]];
            }),
          ),
        );
      }
      assert.equal(order.length, 0);
    }
  });
}
