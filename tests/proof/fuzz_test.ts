/**
 * Every reader of what others write, with whatever can be made up: it answers or refuses in our own words, soon, and
 * the same however its input was cut. `BERTH_FUZZ_RUNS=20000` for the whole proof; a failure names its seed, and what
 * was found once is tried first.
 */
import assert from "node:assert/strict";
import process from "node:process";
import fc from "npm:fast-check@4.10.2";
import { splitCommand } from "../../artifacts/compose/command.ts";
import { parseDotenv } from "../../artifacts/env/dotenv.ts";
import { interpolateText } from "../../artifacts/env/interpolate.ts";
import { nanosecondsOf } from "../../artifacts/compose/amounts.ts";
import { parseYaml } from "../../artifacts/yaml/parse.ts";
import { YAML_BUDGETS } from "../../artifacts/yaml/budgets.ts";
import { scan } from "../../artifacts/yaml/scan.ts";
import { addressRange, isInRange } from "../../core/address_range.ts";
import { withoutMovement } from "../../commands/for_terminal.ts";
import { isScope } from "../../core/scope.ts";
import { ServiceError } from "../../core/error.ts";
import { maskText } from "../../core/secrets.ts";
import { bearerOf, socketCredential } from "../../http/serve/admission.ts";
import { deviceCookieOf } from "../../http/declare/device_cookie.ts";
import { queryRecord } from "../../http/declare/query.ts";
import { bindingOf, refreshCookieOf } from "../../http/declare/refresh_cookie.ts";
import { LineSplitter } from "../../log/lines.ts";
import { formatLine } from "../../log/line.ts";
import { commandOf } from "../../plugins/containers/exec/routes.ts";
import { TextLines } from "../../engines/calls/text_lines.ts";
import { FrameReader } from "../../engines/frames/frames.ts";
import { textOfReference } from "../../core/image_reference.ts";
import { parseReference } from "../../plugins/containers/images/reference.ts";
import { LineReader } from "../../plugins/containers/logs/lines.ts";
import { LogPosition } from "../../plugins/containers/logs/log_position.ts";
import { startService } from "../support/service.ts";
import { sendRaw } from "../support/raw_http.ts";

const RUNS = Number(Deno.env.get("BERTH_FUZZ_RUNS") ?? "300");
/** No input may take the processor for longer; garbage of earlier ones is collected meanwhile. */
const LONGEST_MS = 500;

/** Runs it, lets it refuse in our own words, and fails when it takes too long. */
function tame<T>(work: () => T): T | null {
  const before = process.threadCpuUsage(); // other test files run in the same process
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return null;
  } finally {
    const { user, system } = process.threadCpuUsage(before);
    const ms = (user + system) / 1000;
    assert.ok(ms < LONGEST_MS, `it took ${Math.round(ms)} ms`);
  }
}

/** Texts of these words, of a character many times over, and of anything. */
function texts(...words: string[]): fc.Arbitrary<string> {
  const word = fc.oneof(fc.constantFrom(...words), fc.string({ unit: "binary", maxLength: 5 }));
  return fc.oneof(
    { weight: 6, arbitrary: fc.array(word, { maxLength: 40 }).map((parts) => parts.join("")) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 300 }) },
    {
      weight: 1,
      arbitrary: fc.tuple(word, fc.array(word, { maxLength: 3 }), fc.nat(30_000), word).map((
        [before, many, count, after],
      ) => before + many.join("").repeat(count).slice(0, 100_000) + after),
    },
  );
}

/** A text made of bytes, cut at these places. */
function cut(bytes: Uint8Array<ArrayBuffer>, sizes: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    parts.push(bytes.slice(at, at + size));
    at += size;
  }
  return parts;
}

const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 6 });
const bytes = (parts: readonly string[]) =>
  fc.array(
    fc.oneof(
      fc.constantFrom(...parts).map((text) => [...new TextEncoder().encode(text)]),
      fc.uint8Array({ maxLength: 12 }).map((some) => [...some]),
    ),
    { maxLength: 40 },
  ).map((all) => new Uint8Array(all.flat()));

/** Fails with what it ran on; cases that failed once come first. */
function check<T>(
  name: string,
  arbitrary: fc.Arbitrary<T>,
  holds: (value: T) => void,
  found: readonly NoInfer<T>[] = [],
): void {
  Deno.test(`fuzz: ${name}`, () => {
    for (const value of found) holds(value);
    fc.assert(fc.property(arbitrary, holds), { numRuns: RUNS });
  });
}

const FRAME = [
  "\x01\0\0\0\0\0\0\x05hello",
  "\x02\0\0\0\0\0\0\0",
  "\x03\0\0\0\0\0\0\x02no",
  "\x01\0\0\0\x7f\xff\xff\xff",
  "\x09\0\0\0\0\0\0\x01",
];
const CHUNKS = ["5\r\nhello\r\n", "0\r\n\r\n", "ffffffff\r\n", "1;x=y\r\na\r\n", "\r\n", "G\r\n"];

for (const framed of [true, false]) {
  for (const framing of [{ kind: "chunked" }, { kind: "length", bytes: 60 }, { kind: "close" }] as const) {
    check(
      `FrameReader, ${
        framed ? "frames" : "raw"
      } by ${framing.kind}, gives the same however its bytes are cut`,
      fc.tuple(bytes([...FRAME, ...CHUNKS]), sizes),
      ([input, sizes]) => {
        const read = (parts: readonly Uint8Array<ArrayBuffer>[]) =>
          tame(() => {
            const given: number[] = [];
            const sink = {
              run: (stream: number, from: Uint8Array, at: number, to: number) =>
                void given.push(...[...from.subarray(at, to)].map((byte) => stream * 256 + byte)),
            };
            const reader = new FrameReader(sink, { framed, framing });
            for (const part of parts) reader.push(part, 0, part.length);
            assert.ok(given.length <= input.length, "it makes up bytes");
            return { given, complete: reader.complete, cut: reader.cut };
          });
        assert.deepEqual(read(cut(input, sizes)), read([input]));
      },
    );
  }
}

check(
  "LineReader and LogPosition take whatever an engine calls a line, and cursors of it are read again",
  fc.tuple(
    bytes([
      "2026-01-01T00:00:00.000000001Z a\n",
      "2026-13-99T99:99:99Z x\n",
      "2026-01-01T00:00:00Z\n",
      "\n",
      " ",
      "Z\n",
    ]),
    sizes,
    fc.boolean(),
  ),
  ([input, sizes, terminal]) => {
    tame(() => {
      const position = new LogPosition();
      let lines = 0;
      const sink = {
        line: (line: Parameters<LogPosition["admit"]>[0]) => {
          lines++;
          position.admit(line, () => {});
        },
      };
      const reader = new LineReader(sink as ConstructorParameters<typeof LineReader>[0], { terminal });
      for (const part of cut(input, sizes)) reader.run(1, part, 0, part.length, true, true);
      reader.finish(true);
      assert.ok(lines <= input.length + 1);
    });
  },
);

check(
  "LogPosition.parse reads a cursor or refuses it",
  texts(
    "o",
    "e",
    "2026-01-01T00:00:00.000000001Z",
    "~",
    ".",
    "1",
    "-",
    ",",
    "9999999999999999999",
    "2026-02-30T00:00:00Z",
  ),
  (text) => void tame(() => LogPosition.parse(text)),
);

check(
  "TextLines gives the same however its bytes are cut",
  fc.tuple(bytes(["{}\n", "ä€😀", "\r\n", "\n"]), sizes),
  ([input, sizes]) => {
    const read = (parts: readonly Uint8Array[]) => {
      const lines = new TextLines();
      return parts.flatMap((part) => lines.push(part));
    };
    assert.deepEqual(tame(() => read(cut(input, sizes))), tame(() => read([input])));
  },
);

check(
  "LineSplitter gives the same however its bytes are cut",
  fc.tuple(bytes(["{}\n", "ä€😀", "\r\n", "\n"]), sizes),
  ([input, sizes]) => {
    const read = (parts: readonly Uint8Array[]) => {
      const lines = new LineSplitter();
      return [...parts.flatMap((part) => [...lines.push(part)]), ...lines.end()];
    };
    assert.deepEqual(tame(() => read(cut(input, sizes))), tame(() => read([input])));
  },
);

const YAML = [
  "a: ",
  "b:\n",
  "- ",
  "\n",
  "  ",
  "[",
  "]",
  "{",
  "}",
  "&a ",
  "*a",
  "<<: ",
  "!!str ",
  "!reset ",
  "|\n",
  ">-\n",
  "'",
  '"',
  "#",
  "---\n",
  "...\n",
  "? ",
  ": ",
  ",",
  "\t",
  "\\",
  "%YAML 1.2\n",
  "0x1",
  "1e9",
  "~",
];
check(
  "scan and parseYaml take any text, and what the scan lets through is parsed soon",
  texts(...YAML),
  (all) => {
    tame(() => scan(all));
    const text = all.slice(0, YAML_BUDGETS.inlineLength); // longer ones are parsed in a worker, with a time limit
    const excess = tame(() => scan(text));
    const file = { path: "x.yaml", text, hash: "", stamp: "" } as unknown as Parameters<typeof parseYaml>[0];
    tame(() => parseYaml(file, excess));
  },
);

const TEMPLATE = ["$", "${", "}", "A", ":-", "-", ":?", "?", ":+", "+", "$$", " ", "1", "_"];
check("interpolateText takes any text, and adds nothing that is not there", texts(...TEMPLATE), (text) => {
  tame(() => interpolateText(text, () => undefined));
  tame(() => interpolateText(text, (name) => name));
});

check(
  "parseDotenv takes any text",
  texts("A=", "B", "'", '"', "\n", "#", "export ", "\\", "$A", "${A}", " "),
  (text) => {
    tame(() =>
      parseDotenv({ path: ".env", text, hash: "", stamp: "" } as unknown as Parameters<typeof parseDotenv>[0])
    );
  },
);

check(
  "nanosecondsOf reads any text soon",
  texts("0", ".", "s", "00s", "ms", "1h", "-", "0s00s."),
  (text) => void tame(() => nanosecondsOf(text)),
  [".".concat("0s00s.".repeat(5_000), ".")],
);

check(
  "splitCommand takes any line",
  texts("'", '"', "\\", " ", "a", "$", "&&", "|"),
  (text) => void tame(() => splitCommand(text)),
);
check(
  "commandOf splits any text or refuses it",
  texts("'", '"', " ", "a"),
  (text) => void tame(() => commandOf([text])),
);

check(
  "parseReference reads a reference that it writes again, or refuses it",
  texts("a", "/", ":", "@", "sha256:", "0".repeat(64), "A.b", "-", "_", "[::1]"),
  (text) => {
    const read = tame(() => parseReference(text));
    if (read !== null) assert.deepEqual(parseReference(textOfReference(read)), read);
  },
);

check(
  "isScope takes any text",
  texts("engine:", "label:", "workspace:", "a", "=", "\n", "\u202e"),
  (text) => {
    if (tame(() => isScope(text)) === true) assert.ok(!/[\p{Cc}\p{Cf}]/u.test(text), "it hides something");
  },
);

check(
  "addressRange takes any text, and a range that it reads is asked soon",
  texts("1", "::", ".", "/", "255", "ffff:", "%eth0", "-"),
  (text) => {
    const range = tame(() => addressRange(text));
    if (range !== null) tame(() => isInRange("192.0.2.1", [range]));
  },
);

const given = (name: string, value: string) => {
  try {
    return new Headers({ [name]: value });
  } catch {
    return new Headers(); // what no request can carry
  }
};

check(
  "credentials are read from headers or refused, and a cookie is never one",
  texts("Bearer ", "bearer", ",", " ", "x", "Basic ", "berth.v1", "berth.bearer.", ";"),
  (text) => {
    const token = tame(() => bearerOf(given("authorization", text)));
    if (token !== null) assert.doesNotMatch(token, /[\s,]/);
    tame(() => socketCredential(given("sec-websocket-protocol", text), () => true));
    assert.equal(tame(() => socketCredential(given("cookie", text), () => true)), null);
  },
);

const COOKIE = ["__Host-berth_refresh", "__Host-berth_device", "=", ";", ",", " ", "value", '"'];
check("cookies are read or refused, and never one of another name", texts(...COOKIE), (text) => {
  const value = tame(() => refreshCookieOf(given("cookie", text)));
  if (value !== null) assert.ok(text.includes(`__Host-berth_refresh=${value}`));
  tame(() => deviceCookieOf(given("cookie", text)));
  tame(() => bindingOf(given("x-berth", text)));
});

check(
  "queryRecord has what URLSearchParams has, and no inherited name",
  texts("a=", "&", "=", "%", "%00", "%zz", "+", "__proto__=", "constructor=1", "?", "#"),
  (text) => {
    const record = tame(() => queryRecord(`http://x/?${text}`))!;
    const expected = new URLSearchParams(text);
    assert.deepEqual(new Set(Object.keys(record)), new Set(expected.keys()));
    for (const name of Object.keys(record)) assert.deepEqual([record[name]].flat(), expected.getAll(name));
    assert.equal(Object.getPrototypeOf(record), null);
  },
);

check(
  "maskText takes any text, and never shows the value of a password",
  fc.tuple(
    texts(
      "password=",
      "token: ",
      "Bearer ",
      "http://a:b@c",
      "sk_live_",
      "-----BEGIN PRIVATE KEY-----",
      "eyJ",
      " ",
    ),
    fc.stringMatching(/^[a-z0-9]{12}$/),
  ),
  ([text, secret]) => {
    const masked = tame(() => maskText(`${text} --password=${secret}`))!;
    assert.ok(!masked.includes(secret) || text.includes(secret));
  },
  [["-----BEGIN PRIVATE KEY-----".repeat(20_000), "abcdefghijkl"], ["eyJ-".repeat(200_000), "abcdefghijkl"]],
);

check(
  "formatLine makes one line of anything, and withoutMovement lets nothing move",
  texts("\n", "\r", "\x1b[2J", "\u202e", '"', "\\", "\u2028", "Bearer x"),
  (text) => {
    const line = tame(() =>
      formatLine("2026-01-01T00:00:00.000Z", "info", text, { text, nested: { text } })
    )!;
    assert.doesNotMatch(line, /[\0-\x1f\u2028\u2029\u202e]/);
    JSON.parse(line);
    assert.doesNotMatch(tame(() => withoutMovement(text))!, /\x1b\[2J/);
  },
);

Deno.test("fuzz: a Host that is not exactly ours is never answered", async () => {
  await using berth = await startService({ install: [] });
  const own = ["127.0.0.1", "localhost", "[::1]"].map((host) => `${host}:${berth.port}`);
  const part = fc.constantFrom(
    "127.0.0.1",
    "localhost",
    "LocalHost",
    "[::1]",
    `:${berth.port}`,
    ":80",
    ".",
    "@",
    "/",
    "evil.example",
    " ",
    ",",
    "%00",
    "\t",
    "http://",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
      const host = parts.join("");
      const { status } = await sendRaw(
        berth.port,
        `GET /api/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      if (own.includes(host.trim().toLowerCase())) assert.equal(status, 200, JSON.stringify(host));
      else {assert.ok(
          status === null || status === 400 || status === 421,
          `${JSON.stringify(host)}: ${status}`,
        );}
    }),
    { numRuns: Math.min(RUNS, 1_000) / 4 },
  );
});
