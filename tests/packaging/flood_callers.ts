/**
 * Two floods through a proxy, and a good caller beside them in a process of its own, from the proxy's own network:
 * `flood_callers.ts URL KEY SECONDS`. Prints what it saw as JSON. `flood_callers.ts URL KEY SECONDS good` is the good one.
 */
import { connect as connectTls } from "node:tls";
import { pause } from "../../core/pause.ts";

/** The good caller's answers and their times. */
export interface Latency {
  readonly answers: number;
  readonly failures: readonly string[];
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}

export interface FloodSeen {
  readonly alone: Latency;
  /** Beside bodies that come as fast as they can, with the number of answers of each status; "cut" stands for none. */
  readonly bodies: { readonly beside: Latency; readonly statuses: Readonly<Record<string, number>> };
  /** Beside bodies that never end and sockets that nobody reads. */
  readonly slow: { readonly beside: Latency; readonly statuses: Readonly<Record<string, number>> };
}

const MIB = 1024 * 1024;
const ALONE_S = 5;
const EVERY_MS = 50;
/** Callers that send whole bodies, and callers that hold what they began. */
const SENDING = 100;
const HOLDING = 1_000;

const [url = "", key = "", seconds = "60", role] = Deno.args;
const { hostname, port } = new URL(url);

async function good(ms: number): Promise<Latency> {
  const times: number[] = [];
  const failures: string[] = [];
  const until = performance.now() + ms;
  while (performance.now() < until) {
    const began = performance.now();
    try {
      const response = await fetch(`${url}/api/containers`, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(30_000),
      });
      await response.body?.cancel();
      if (response.status !== 200) failures.push(`${response.status}`);
    } catch (error) {
      failures.push(`${error}`);
    }
    times.push(performance.now() - began);
    await pause(EVERY_MS);
  }
  times.sort((a, b) => a - b);
  const at = (part: number) => Math.round(times[Math.floor(part * (times.length - 1))] ?? 0);
  const [medianMs = 0, p99Ms = 0, mostMs = 0] = [0.5, 0.99, 1].map(at);
  return { answers: times.length, failures: failures.slice(0, 20), medianMs, p99Ms, mostMs };
}

/** Runs the good caller in a process of its own, which shares nothing with the flood but the machine. */
async function goodBeside(): Promise<Latency> {
  const flags = ["-A", "--no-check", "--unsafely-ignore-certificate-errors"];
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, import.meta.filename!, url, key, seconds, "good"],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

const statuses: Record<string, number> = {};
const count = (status: string) => statuses[status] = (statuses[status] ?? 0) + 1;

/** Takes the counts since the last call. */
function counted(): Record<string, number> {
  const seen = { ...statuses };
  for (const status of Object.keys(statuses)) delete statuses[status];
  return seen;
}

const WHOLE: readonly {
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: HeadersInit;
}[] = [
  {
    path: "/api/auth/key",
    body: new TextEncoder().encode(`{"key":"${"x".repeat(MIB)}"}`),
    headers: { "content-type": "application/json", "x-berth": "1" },
  },
  {
    path: "/api/workspaces/none/artifacts/validate",
    body: new TextEncoder().encode(`{"files":{"a":"${"x".repeat(8 * MIB - 100)}"}}`),
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
  },
];

/** Sends whole bodies, one after the other. */
async function sends(kind: number, ending: AbortSignal): Promise<void> {
  const { path, body, headers } = WHOLE[kind % WHOLE.length]!; // it is below their number
  while (!ending.aborted) {
    try {
      const response = await fetch(`${url}${path}`, { method: "POST", headers, body, signal: ending });
      await response.body?.cancel();
      count(String(response.status));
    } catch {
      if (!ending.aborted) count("cut");
      await pause(10);
    }
  }
}

const head = (line: string, ...more: string[]) =>
  [`${line} HTTP/1.1`, `Host: ${hostname}`, ...more, "", ""].join("\r\n");
const JSON_TYPE = "Content-Type: application/json";
const BEGUN: readonly string[] = [
  head("POST /api/auth/key", JSON_TYPE, "X-Berth: 1", `Content-Length: ${16 * 1024}`) + '{"key":"',
  head(
    "POST /api/workspaces/none/artifacts/validate",
    JSON_TYPE,
    `Authorization: Bearer ${key}`,
    `Content-Length: ${8 * MIB}`,
  ) + `{"files":{"a":"${"x".repeat(64 * 1024)}`,
  head(
    "GET /api/live",
    `Authorization: Bearer ${key}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  ),
];

/** Begins a request and holds it until somebody cuts it, then begins the next. */
async function holds(kind: number, ending: AbortSignal): Promise<void> {
  while (!ending.aborted) {
    const { promise, resolve } = Promise.withResolvers<void>();
    let status = "cut";
    const wire = connectTls({ host: hostname, port: Number(port || 443), rejectUnauthorized: false }, () => {
      wire.write(BEGUN[kind % BEGUN.length]!); // it is below their number
    });
    wire.once("data", (bytes: Uint8Array) => {
      status = /^HTTP\/1\.1 (\d+)/.exec(new TextDecoder().decode(bytes))?.[1] ?? "odd";
      if (status !== "101") wire.destroy();
    });
    wire.on("error", () => {});
    wire.on("close", () => resolve());
    const onEnd = () => wire.destroy();
    ending.addEventListener("abort", onEnd);
    await promise;
    ending.removeEventListener("abort", onEnd);
    count(status);
    await pause(200, ending);
  }
}

/** Runs as many callers of a kind, and the good one beside them. */
async function flood(callers: number, one: (kind: number, ending: AbortSignal) => Promise<void>) {
  const ending = new AbortController();
  const crowd = Array.from({ length: callers }, (_, kind) => one(kind, ending.signal));
  const beside = await goodBeside();
  ending.abort();
  await Promise.all(crowd);
  return { beside, statuses: counted() };
}

if (role === "good") console.log(JSON.stringify(await good(Number(seconds) * 1_000)));
else {
  const alone = await good(ALONE_S * 1_000);
  const bodies = await flood(SENDING, sends);
  const slow = await flood(HOLDING, holds);
  const seen: FloodSeen = { alone, bodies, slow };
  console.log(JSON.stringify(seen));
}
Deno.exit(0);
