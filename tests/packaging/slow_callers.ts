/**
 * A crowd of callers who never finish what they ask, and a good one beside them, from the proxy's own network:
 * `slow_callers.ts URL KEY SECONDS CALLERS MS`. Prints what it saw as JSON.
 */
import { connect as connectTcp } from "node:net";
import { connect as connectTls } from "node:tls";
import { pause } from "../../core/pause.ts";

export interface SlowSeen {
  /** The number of the crowd's connections that the proxy or berth gave up, and that were opened again. */
  readonly cut: number;
  /** The number of them that lived longer than those milliseconds. */
  readonly kept: number;
  /** The longest that one of them lived: without a byte, and after its half a head, its half a body. */
  readonly longestMs: readonly number[];
  /** The good caller's requests, alone and beside the crowd. */
  readonly alone: Latency;
  readonly beside: Latency;
}

export interface Latency {
  readonly answers: number;
  readonly failures: readonly string[];
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}

const [url = "", key = "", seconds = "600", callers = "1000", givenUpMs = "90000"] = Deno.args;
const { hostname, port } = new URL(url);
const address = { host: hostname, port: Number(port || 443) };
const EVERY_MS = 100;
const ALONE_MS = 5_000;

/** No byte at all, half a head, half a body. */
const HALVES: readonly (string | null)[] = [
  null,
  `GET /api/health HTTP/1.1\r\nHost: ${hostname}\r\nX-Slow: `,
  `POST /api/networks HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n` +
  'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"name":',
];

const ending = new AbortController();
const longestMs = HALVES.map(() => 0);
let cut = 0;
let kept = 0;

/** Opens a connection again whenever it is cut. */
async function slow(kind: number): Promise<void> {
  const half = HALVES[kind] ?? null;
  while (!ending.signal.aborted) {
    let began = performance.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    const wire = half === null
      ? connectTcp(address)
      : connectTls({ ...address, rejectUnauthorized: false }, () => {
        began = performance.now();
        wire.write(half);
      });
    wire.on("error", () => {});
    wire.on("close", () => resolve());
    wire.resume();
    const onEnd = () => wire.destroy();
    ending.signal.addEventListener("abort", onEnd);
    await promise;
    ending.signal.removeEventListener("abort", onEnd);
    cut += 1;
    const lived = Math.round(performance.now() - began);
    if (lived > Number(givenUpMs)) kept += 1;
    longestMs[kind] = Math.max(longestMs[kind] ?? 0, lived);
    await pause(100, ending.signal);
  }
}

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
      failures.push(`${error} (${error instanceof Error ? error.cause : ""})`);
    }
    times.push(performance.now() - began);
    await pause(EVERY_MS);
  }
  times.sort((a, b) => a - b);
  const at = (part: number) => Math.round(times[Math.floor(part * (times.length - 1))] ?? 0);
  return {
    answers: times.length,
    failures: failures.slice(0, 20),
    medianMs: at(0.5),
    p99Ms: at(0.99),
    mostMs: at(1),
  };
}

const alone = await good(ALONE_MS);
const crowd = Array.from({ length: Number(callers) }, (_, n) => slow(n % HALVES.length));
const beside = await good(Number(seconds) * 1_000);
const seen: SlowSeen = { cut, kept, longestMs, alone, beside };
ending.abort();
await Promise.all(crowd);
console.log(JSON.stringify(seen));
Deno.exit(0);
