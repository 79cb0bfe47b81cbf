/** Lines of a build are told when they are whole, and then without secrets. */
import assert from "node:assert/strict";
import type { BuildSpec, PullProgress } from "../../../core/engine_acts.ts";
import { BuildOutput, maskBuild } from "./build_output.ts";

const SPEC: BuildSpec = {
  tags: ["shop-web"],
  dockerfile: "Dockerfile",
  target: "",
  args: { LOGIN: "canary-of-the-build", KEY: "first-line-of-it\nsecond-line-of-it", SHORT: "a" },
  labels: { "api.token": "canary-of-the-label", "org.example.site": "https://example.org" },
  network: "",
  extraHosts: [],
  cacheFrom: [],
  platform: "",
  shmBytes: null,
  noCache: false,
  pull: false,
};

function read(frames: readonly unknown[]): string[] {
  const told: PullProgress[] = [];
  const output = new BuildOutput(SPEC, (frame) => told.push(frame));
  for (const frame of frames) output.take(JSON.stringify(frame));
  output.end();
  return told.map(({ layer, status }) => `${layer}: ${status}`);
}

const bytes = (text: string) => new TextEncoder().encode(text);

/** A field of a message in protocol buffers: a number, or what has a length. */
function field(number: number, value: number | Uint8Array): number[] {
  if (typeof value === "number") return [number * 8, value];
  return [number * 8 + 2, (value.length & 0x7f) | 0x80, value.length >> 7, ...value];
}

const trace = (...fields: readonly number[][]) => ({
  id: "moby.buildkit.trace",
  aux: Uint8Array.from(fields.flat()).toBase64(),
});
const vertex = (digest: string, name: string, more: number[] = []) =>
  field(1, Uint8Array.from([...field(1, bytes(digest)), ...field(3, bytes(name)), ...more]));
const log = (digest: string, stream: number, text: Uint8Array) =>
  field(3, Uint8Array.from([...field(1, bytes(digest)), ...field(3, stream), ...field(4, text)]));
const BEGUN = field(5, bytes(""));
const COMPLETED = field(6, bytes(""));

Deno.test("A secret that is cut across two frames of a builder's one stream is masked", () => {
  const told = read([
    { stream: "Step 1/2 : RUN login\n" },
    { stream: "as canary-of-" },
    { stream: "the-build\r\ndone" },
    { stream: "Step 2/2 : CMD x\n" },
  ]);

  assert.deepEqual(told, ["Step 1/2 : RUN login: as ********", "Step 1/2 : RUN login: done"]);
});

Deno.test("BuildKit's steps and streams have lines of their own, of whole characters", () => {
  const [half, rest] = [bytes("ü").slice(0, 1), bytes("ü").slice(1)];
  const told = read([
    trace(vertex("a", "[1/2] RUN a", BEGUN), vertex("b", "[2/2] RUN b", BEGUN)),
    trace(log("a", 1, bytes("canary-of-")), log("b", 1, half), log("a", 2, bytes("an error\n"))),
    trace(log("a", 1, bytes("the-build\n")), log("b", 1, rest)),
    trace(vertex("b", "[2/2] RUN b", [...BEGUN, ...COMPLETED])),
    trace(log("a", 1, bytes("no end"))),
  ]);

  assert.deepEqual(told, [
    "[1/2] RUN a: begins",
    "[2/2] RUN b: begins",
    "[1/2] RUN a: an error",
    "[1/2] RUN a: ********",
    "[2/2] RUN b: ü",
    "[1/2] RUN a: no end",
  ]);
});

Deno.test("A secret at the place where a long line is cut is masked before it is cut", () => {
  const [told = ""] = read([{ stream: `${"x".repeat(490)}canary-of-the-build\n` }]);

  assert.equal(told, `null: ${"x".repeat(490)}********`);
});

Deno.test("Every value of an argument, each of its lines and secret labels are masked", () => {
  const said = "canary-of-the-build second-line-of-it canary-of-the-label https://example.org a";

  assert.equal(maskBuild(said, SPEC), "******** ******** ******** https://example.org a");
});
