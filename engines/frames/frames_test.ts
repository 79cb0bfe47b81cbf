import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { ServiceError } from "../../core/error.ts";
import { FrameReader, type Framing, type RunSink } from "./frames.ts";

const text = new TextEncoder();

function frame(type: number, payload: Uint8Array, size = payload.byteLength): Uint8Array {
  const bytes = new Uint8Array(8 + payload.byteLength);
  bytes[0] = type;
  new DataView(bytes.buffer).setUint32(4, size);
  bytes.set(payload, 8);
  return bytes;
}

function chunk(payload: Uint8Array): Uint8Array {
  return joined([text.encode(`${payload.byteLength.toString(16)}\r\n`), payload, text.encode("\r\n")]);
}

const LAST_CHUNK = text.encode("0\r\n\r\n");

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.byteLength;
  }
  return all;
}

/** Puts the runs together again as frames. */
class Frames implements RunSink {
  readonly frames: { stream: number; bytes: number[] }[] = [];
  run(stream: number, bytes: Uint8Array, from: number, to: number, first: boolean): void {
    if (first) this.frames.push({ stream, bytes: [] });
    this.frames.at(-1)?.bytes.push(...bytes.subarray(from, to));
  }
}

/** Reads `recording` in pieces of the given sizes, each at its place of one reused buffer. */
function read(recording: Uint8Array, sizes: readonly number[], framing: Framing) {
  const sink = new Frames();
  const reader = new FrameReader(sink, { framed: true, framing });
  const buffer = new Uint8Array(recording.byteLength + 16);
  let at = 0;
  for (let turn = 0; at < recording.byteLength; turn++) {
    const size = Math.max(1, Math.min(sizes[turn % sizes.length] ?? 1, recording.byteLength - at));
    const offset = turn % 16;
    buffer.fill(0xff);
    buffer.set(recording.subarray(at, at + size), offset);
    reader.push(buffer, offset, offset + size);
    at += size;
  }
  return { frames: sink.frames, complete: reader.complete, cut: reader.cut };
}

const payloads = fc.array(
  fc.record({ type: fc.constantFrom(0, 1, 2), payload: fc.uint8Array({ minLength: 1, maxLength: 60 }) }),
  { maxLength: 12 },
);

Deno.test("any split of a recorded stream, in reads and in chunks, gives the same frames (F16)", () => {
  fc.assert(fc.property(
    payloads,
    fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
    fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 }),
    (given, reads, chunks) => {
      const body = joined(given.map(({ type, payload }) => frame(type, payload)));
      const parts: Uint8Array[] = [];
      for (let at = 0, turn = 0; at < body.byteLength; turn++) {
        const size = chunks[turn % chunks.length]!;
        parts.push(chunk(body.subarray(at, at + size)));
        at += size;
      }
      const recording = joined([...parts, LAST_CHUNK]);
      const expected = given.map(({ type, payload }) => ({
        stream: type === 2 ? 2 : 1,
        bytes: [...payload],
      }));

      const chunked = read(recording, reads, { kind: "chunked" });
      assert.deepEqual(chunked.frames, expected);
      assert.deepEqual([chunked.complete, chunked.cut], [true, false]);

      const plain = read(body, reads, { kind: "length", bytes: body.byteLength });
      assert.deepEqual(plain.frames, expected);
      assert.deepEqual([plain.complete, plain.cut], [true, false]);
    },
  ));
});

Deno.test("a stream that is cut at any byte is called cut, and one that ended is not", () => {
  const recording = joined([
    chunk(frame(1, text.encode("one\n"))),
    chunk(frame(2, text.encode("two\n"))),
    LAST_CHUNK,
  ]);
  for (let end = 0; end < recording.byteLength; end++) {
    assert.equal(read(recording.subarray(0, end), [7], { kind: "chunked" }).cut, true, `cut at ${end}`);
  }
  assert.equal(read(recording, [7], { kind: "chunked" }).cut, false);
});

Deno.test("hostile frames and chunks end in a typed error (F17)", () => {
  const body = text.encode("x");
  const hostile: Record<string, Uint8Array> = {
    "length 2^32-1": chunk(frame(1, body, 0xffff_ffff)),
    "length 2^31": chunk(frame(1, body, 0x8000_0000)),
    "one byte over the limit": chunk(frame(1, body, 1024 * 1024 + 1)),
    "type 9": chunk(frame(9, body)),
    "type 255": chunk(frame(255, body)),
    "chunk without a length": text.encode("\r\nabc"),
    "chunk length of letters": text.encode("zz\r\nabc"),
    "negative chunk length": text.encode("-5\r\nabc"),
    "chunk length that never ends": text.encode("0".repeat(1_000)),
    "chunk of 2^64 bytes": text.encode("ffffffffffffffff\r\n"),
    "chunk that runs on": joined([text.encode("2\r\n\x01\x00"), text.encode("more")]),
  };
  for (const [name, recording] of Object.entries(hostile)) {
    for (const sizes of [[1], [recording.byteLength]]) {
      assert.throws(
        () => read(recording, sizes, { kind: "chunked" }),
        (error) => error instanceof ServiceError && error.code === "engine_failed",
        name,
      );
    }
  }
});

Deno.test("a frame of type 3 is the engine's own error: typed, and its words only in the cause", () => {
  const recording = joined([
    chunk(frame(1, text.encode("before\n"))),
    chunk(frame(3, text.encode("log driver exploded"))),
  ]);
  for (const sizes of [[1], [5], [recording.byteLength]]) {
    assert.throws(() => read(recording, sizes, { kind: "chunked" }), (error) => {
      assert.ok(error instanceof ServiceError);
      assert.equal(error.code, "engine_failed");
      assert.doesNotMatch(error.message, /exploded/);
      assert.match(String(error.cause), /log driver exploded/);
      return true;
    });
  }
});

Deno.test("frames of no length, up to the limit and after the end are taken as they are", () => {
  const big = new Uint8Array(1024 * 1024).fill(7);
  const recording = joined([
    chunk(frame(1, new Uint8Array(0))),
    chunk(frame(2, big)),
    LAST_CHUNK,
    text.encode("HTTP/1.1 400 Bad Request\r\n"),
  ]);
  const { frames, complete } = read(recording, [100_000], { kind: "chunked" });

  assert.deepEqual(
    frames.filter(({ bytes }) => bytes.length > 0).map(({ stream, bytes }) => [stream, bytes.length]),
    [
      [2, big.byteLength],
    ],
  );
  assert.equal(complete, true);
});
