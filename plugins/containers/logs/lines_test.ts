import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { FrameReader, type Stream } from "../../../engines/frames/frames.ts";
import { JsonWriter, type LogFormat, type LogWriter, TextWriter } from "./log_formats.ts";
import { type Gap, LogPosition } from "./log_position.ts";
import { LineReader } from "./lines.ts";

const text = new TextEncoder();
const read = new TextDecoder();

interface Written {
  readonly stream: Stream;
  readonly time: string;
  readonly line: string;
}

/** Nanoseconds after a fixed second, as Docker writes them. */
function time(nanos: number): string {
  return `2026-11-21T22:34:${String(10 + Math.floor(nanos / 1e9)).padStart(2, "0")}.${
    String(nanos % 1e9).padStart(9, "0")
  }Z`;
}

/**
 * Returns the bytes that an engine would send for these lines: a frame and a chunk each, long ones in parts of 16 KiB.
 */
function recorded(lines: readonly Written[], terminal = false): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  for (const { stream, time, line } of lines) {
    const payload = text.encode(`${line}${terminal ? "\r" : ""}\n`);
    for (let at = 0; at < payload.byteLength; at += 16 * 1024) {
      const part = [...text.encode(`${time} `), ...payload.subarray(at, at + 16 * 1024)];
      const size = part.length;
      if (!terminal) part.unshift(stream, 0, 0, 0, size >> 24, size >> 16 & 255, size >> 8 & 255, size & 255);
      parts.push(text.encode(`${part.length.toString(16)}\r\n`), new Uint8Array(part), text.encode("\r\n"));
    }
  }
  parts.push(text.encode("0\r\n\r\n"));
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.byteLength;
  }
  return all;
}

/** Reads a recording in pieces as one of the formats, from `position` on. */
function play(
  recording: Uint8Array<ArrayBuffer>,
  { format = "ndjson", sizes = [64 * 1024], terminal = false, position = new LogPosition() }: {
    format?: LogFormat;
    sizes?: readonly number[];
    terminal?: boolean;
    position?: LogPosition;
  } = {},
) {
  const writer: LogWriter = format === "text"
    ? new TextWriter(position, { timestamps: true })
    : new JsonWriter(position, { events: format === "sse" });
  const gaps: Gap[] = [];
  const lines = new LineReader({
    line: (line) => {
      if (position.admit(line, (gap) => gaps.push(gap))) {
        writer.line(line);
      }
    },
  }, { terminal });
  const reader = new FrameReader(lines, { framed: !terminal, framing: { kind: "chunked" } });
  for (let at = 0, turn = 0; at < recording.byteLength; turn++) {
    const size = Math.min(sizes[turn % sizes.length]!, recording.byteLength - at);
    const piece = recording.slice(at, at + size);
    reader.push(piece, 0, size);
    at += size;
  }
  if (!reader.cut) lines.finish(true);
  return { output: read.decode(writer.output.take()), position, gaps };
}

function records(
  ndjson: string,
): { cursor: string; time: string; stream: string; line: string; cut?: boolean }[] {
  return ndjson.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

const written: fc.Arbitrary<Written[]> = fc.array(
  fc.record({
    stream: fc.constantFrom<Stream>(1, 2),
    step: fc.constantFrom(0, 0, 1, 1_000, 700_000_000),
    line: fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.constantFrom(
        "",
        "x".repeat(16 * 1024),
        "y ".repeat(20_000),
        "2026-11-21T22:34:19.123456789Z inside",
      ),
    ),
  }),
  { maxLength: 8 },
).map((given) => {
  let now = 0;
  return given.map(({ stream, step, line }) => {
    now += step;
    // deno-lint-ignore no-control-regex -- a newline would be two lines; a lone surrogate has no bytes
    return { stream, time: time(now), line: line.replace(/[\n\r\u0000]/g, ".").toWellFormed() };
  });
});

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 40_000 })), {
  minLength: 1,
  maxLength: 6,
});

Deno.test("any split of a recorded log gives the same lines, in every format, framed and of a terminal (F16)", () => {
  fc.assert(
    fc.property(written, sizes, fc.boolean(), (lines, sizes, terminal) => {
      const recording = recorded(lines, terminal);
      const given = records(play(recording, { sizes, terminal }).output);

      assert.deepEqual(
        given.map(({ stream, time, line }) => ({ stream: stream === "stderr" ? 2 : 1, time, line })),
        lines.map((one) => terminal ? { ...one, stream: 1 } : one),
      );
      for (const format of ["text", "sse"] as const) {
        assert.equal(
          play(recording, { format, sizes, terminal }).output,
          play(recording, { format, terminal }).output,
        );
      }
    }),
    { numRuns: 150 },
  );
});

Deno.test("a log cut at every byte and resumed by cursor loses no line and repeats none", () => {
  const overtaking: Written[] = [
    { stream: 1, time: time(1), line: "one" },
    { stream: 1, time: time(1), line: "one" },
    { stream: 2, time: time(1), line: "also one" },
    { stream: 1, time: time(1), line: "one" },
    { stream: 2, time: time(2), line: "early, written late" },
    { stream: 1, time: time(900), line: "" },
    { stream: 2, time: time(3), line: "überholt" },
    { stream: 1, time: time(7_000_000_000), line: "much later" },
    { stream: 1, time: time(7_000_000_000), line: "much later" },
  ];
  for (const terminal of [false, true]) {
    // Two streams may overtake each other; a terminal has one
    const lines = terminal ? overtaking.toSorted((a, b) => a.time < b.time ? -1 : 1) : overtaking;
    const expected = lines.map(({ line }) => line);
    const recording = recorded(lines, terminal);
    for (let end = 0; end <= recording.byteLength; end++) {
      const before = records(play(recording.slice(0, end), { terminal }).output);
      const last = before.at(-1);
      const position = last === undefined ? new LogPosition() : LogPosition.parse(last.cursor);
      const since = last === undefined ? 0 : Number(position.resume().split(".")[1]) +
        1e9 * (Number(position.resume().split(".")[0]) - Date.parse("2026-11-21T22:34:10Z") / 1000);
      // As an engine does it: what stands before the first match is left out, and nothing after it
      const first = lines.findIndex((one) => one.time >= time(Math.max(0, since)));
      const again = play(recorded(lines.slice(first), terminal), { terminal, position });

      assert.deepEqual(
        [...before, ...records(again.output)].map(({ line }) => line),
        expected,
        `cut at ${end}`,
      );
      assert.deepEqual(again.gaps, []);
    }
  }
});

Deno.test("a cursor whose line is gone from the log gives a gap and every line that is left", () => {
  const position = LogPosition.parse(`o${time(5)}*2`);
  position.resume();
  const left: Written[] = [
    { stream: 1, time: time(5), line: "first of two" },
    { stream: 1, time: time(9), line: "after the rotation" },
  ];

  const { output, gaps } = play(recorded(left), { position });

  assert.deepEqual(gaps, [{ after: time(5), before: time(9) }]);
  assert.deepEqual(records(output).map(({ line }) => line), ["after the rotation"]);
});

Deno.test("what an engine reads again of a log that it rotates is told once, but for a clock that was put back", () => {
  const at = (second: number, year = 2020) => `${year}-01-01T00:00:0${second}.000000000Z`;
  const told = (seconds: readonly number[], year?: number) => {
    const position = new LogPosition();
    position.expectRepeats({ seconds: Date.parse("2020-01-01T00:00:03Z") / 1000, nanos: 0 });
    // A fraction tells two lines of one time apart: 5 and 5.5
    const lines = seconds.map((second): Written => ({
      stream: 1,
      time: at(Math.floor(second), year),
      line: `${second}`,
    }));
    const { output, gaps } = play(recorded(lines), { position });
    return [records(output).map(({ line }) => line).join(""), gaps];
  };

  assert.deepEqual(told([3, 4, 5, 5.5, 3, 4, 5, 5.5, 6]), ["3455.56", []], "a file again");
  assert.deepEqual(
    told([3, 4, 5, 5.5, 3, 4, 5, 5.5, 5.8, 6]),
    ["3455.55.86", []],
    "and one line more of its last time",
  );
  assert.deepEqual(told([3, 4, 4, 5]), ["345", []], "a file of one line again");
  assert.deepEqual(told([4, 4.5, 4, 4.5, 5]), ["44.55", []], "a file with lines of one time again");
  assert.deepEqual(told([1, 1, 2, 2]), ["1122", []], "equal lines of before anybody followed");
  assert.deepEqual(told([3, 5, 4, 6]), ["356", [{ after: at(5), before: at(6) }]], "but without its end");
  assert.deepEqual(told([1, 2, 1, 2]), ["1212", []], "written before anybody followed");
  assert.deepEqual(
    told([5, 6, 4, 5], 2999),
    ["5645", []],
    "the latest is yet to come: the clock was put back",
  );
});

Deno.test("a stream that was silent for long is not searched, and all that comes of it is new", () => {
  const position = LogPosition.parse(`o${time(20_000_000_000)}e${time(1)}`);

  assert.equal(position.resume(), `${Date.parse("2026-11-21T22:34:28Z") / 1000}.000000000`);
  const { output, gaps } = play(
    recorded([
      { stream: 1, time: time(20_000_000_000), line: "seen" },
      { stream: 2, time: time(20_000_000_001), line: "new" },
    ]),
    { position },
  );
  assert.deepEqual(gaps, []);
  assert.deepEqual(records(output).map(({ line }) => line), ["new"]);
});

Deno.test("the first line of the other stream may be older than the place, and is new all the same", () => {
  const position = LogPosition.parse(`o${time(5_000_000_900)}`);

  assert.equal(position.resume(), `${Date.parse("2026-11-21T22:34:13Z") / 1000}.000000900`);
  const { output } = play(
    recorded([
      { stream: 1, time: time(5_000_000_900), line: "seen" },
      { stream: 2, time: time(5_000_000_100), line: "overtaken" },
    ]),
    { position },
  );
  assert.deepEqual(records(output).map(({ line }) => line), ["overtaken"]);
});

Deno.test("resuming a reading of the log's tail brings nothing that is older than that tail", () => {
  const before = play(recorded([{ stream: 1, time: time(500), line: "tail" }]), {
    position: new LogPosition({ bounded: true }),
  });
  const position = LogPosition.parse(records(before.output)[0]!.cursor);
  position.resume();
  const { output, gaps } = play(
    recorded([
      { stream: 2, time: time(400), line: "older than the tail" },
      { stream: 1, time: time(500), line: "tail" },
      { stream: 2, time: time(600), line: "new" },
    ]),
    { position },
  );
  assert.deepEqual(gaps, []);
  assert.deepEqual(records(output).map(({ line }) => line), ["new"]);
});

Deno.test("a line is read for itself, whatever an earlier read has left behind it", () => {
  for (const short of ["2026-11-21T22:34:10Z 12189", "2026-11-21T22:34:10Z ", "2026-11-21T22:34:10Z"]) {
    for (let behind = 0; behind < 12; behind++) {
      const told: string[] = [];
      const lines = new LineReader({
        line: ({ bytes, timeFrom, timeTo, from, to }) => {
          told.push(read.decode(bytes.subarray(timeFrom, timeTo)), read.decode(bytes.subarray(from, to)));
        },
      }, { terminal: false });
      const buffer = text.encode(`${short}\n${".".repeat(behind)}Z left behind Z Z Z`);
      lines.run(1, buffer, 0, short.length + 1, true, true);
      const [time, line = ""] = short.split(" ");
      assert.deepEqual(told, [time, line], `${behind} bytes before what was left`);
    }
  }
});

Deno.test("a line over 256 KiB is cut, says so, and the next one is whole (F19)", () => {
  const lines: Written[] = [
    { stream: 1, time: time(1), line: "z".repeat(1_000_000) },
    { stream: 1, time: time(2), line: "next" },
  ];
  for (const terminal of [false, true]) {
    const [cut, next] = records(play(recorded(lines, terminal), { terminal }).output);
    assert.equal(cut?.cut, true);
    assert.ok(cut.line.length >= 256 * 1024 && cut.line.length <= 256 * 1024 + 64);
    assert.deepEqual([next?.line, next?.cut], ["next", undefined]);
  }
});

Deno.test("last words without a newline are a line, and what a restarted process says begins another", () => {
  for (const terminal of [false, true]) {
    const head = (line: string) => {
      const payload = [...text.encode(`${line}`)];
      if (!terminal) payload.unshift(1, 0, 0, 0, 0, 0, 0, payload.length);
      return [...text.encode(`${payload.length.toString(16)}\r\n`), ...payload, ...text.encode("\r\n")];
    };
    const recording = new Uint8Array([
      ...head(`${time(1)} bye`),
      ...head(`${time(2)} hello\r\n`),
      ...text.encode("0\r\n\r\n"),
    ]);
    for (const sizes of [[1], [10_000]]) {
      assert.deepEqual(
        records(play(recording, { terminal, sizes }).output).map(({ time, line }) => [time, line]),
        [
          [time(1), "bye"],
          [time(2), "hello"],
        ],
      );
    }
  }
});

Deno.test("bytes that are not UTF-8 and control characters leave NDJSON and events readable", () => {
  const payload = [...text.encode(`${time(1)} a`), 0xff, 0x1b, 0x5b, 0x22, 0x5c, 0x00, 0xc3, 0x0a];
  const frame = [1, 0, 0, 0, 0, 0, 0, payload.length, ...payload];
  const recording = new Uint8Array([
    ...text.encode(`${frame.length.toString(16)}\r\n`),
    ...frame,
    13,
    10,
    48,
    13,
    10,
    13,
    10,
  ]);

  assert.equal(records(play(recording).output)[0]?.line, `a\ufffd\x1b["\\\u0000\ufffd`);
  const event = play(recording, { format: "sse" }).output;
  assert.equal(JSON.parse(event.split("\n")[1]!.slice("data: ".length)).line, `a\ufffd\x1b["\\\u0000\ufffd`);
  assert.equal(event.split("\n")[0], `id: o${time(1)}`);
});

Deno.test("a cursor that is none is refused", () => {
  for (
    const cursor of [
      "",
      "x",
      "o",
      "onow",
      `o${time(1)}*`,
      `o${time(1)}x`,
      `e${time(1)}o${time(2)}`,
      "o".repeat(500),
    ]
  ) {
    assert.throws(() => LogPosition.parse(cursor), { code: "invalid_request" }, cursor);
  }
});
