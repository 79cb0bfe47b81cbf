/** Logs of short, middling and long lines through the whole service, beside the engine's own: like with like. */
import { FIXTURE, NoEngine, startEngine, type TestEngine } from "../tests/support/engine.ts";
import { eventually } from "../tests/support/eventually.ts";
import { startBerth, waitForAll } from "./listed_berth.ts";
import { type Competitor, rounds } from "./rounds.ts";

/** Bytes of a line with its end, and how many lines there are. */
const LOGS = [[80, 300_000], [200, 200_000], [1_000, 60_000]] as const;
const TURNS = Number(Deno.env.get("BERTH_BENCH_TURNS") ?? "5");
/** `BERTH_BENCH_LOGS=80` measures lines of that length alone. */
const ONLY = Deno.env.get("BERTH_BENCH_LOGS");

try {
  await using engine = await startEngine("docker");
  for (const [bytes, lines] of LOGS) {
    if (ONLY === undefined || ONLY === String(bytes)) await logOf(engine, bytes, lines);
  }
} catch (error) {
  if (!(error instanceof NoEngine)) throw error;
  console.log(`absent: a real engine, ${error.message}`);
}

async function logOf(engine: TestEngine, lineBytes: number, lines: number): Promise<void> {
  const words = "GET /api/items 200 12ms user=alice trace=0123456789abcdef ".repeat(20).slice(
    0,
    lineBytes - 9,
  );
  const script = `awk 'BEGIN { for (i = 1; i <= ${lines}; i++) printf "%07d ${words}\\n", i }'; exec idle`;
  const id = await engine.cli("run", "-d", "--log-driver", "json-file", FIXTURE, "sh", "-c", script);
  await eventually(
    "the log is written",
    async () => (await engine.cli("logs", "--tail", "1", id)).includes(String(lines)),
    { timeoutMs: 300_000, everyMs: 500 },
  );
  await using stack = new AsyncDisposableStack();
  const { server, key } = await startBerth(stack, engine.setting);
  stack.use(server);
  await waitForAll(server, key, 1);
  const spent = new Map<string, number[]>();
  const direct = (query: string) => [
    "--unix-socket",
    engine.socket,
    `http://engine/v1.41/containers/${id}/logs?stdout=1&stderr=1${query}`,
  ];
  const through = (query: string) => [
    "-H",
    `authorization: Bearer ${key}`,
    `http://127.0.0.1:${server.port}/api/containers/${id}/logs${query}`,
  ];
  const one = (name: string, args: readonly string[]): Competitor => ({
    name,
    async run() {
      const before = await server.cpuSeconds();
      const seconds = await curl(args, lineBytes * lines);
      spent.set(name, [...spent.get(name) ?? [], (await server.cpuSeconds() - before) * 1e6 / lines]);
      return lines / seconds / 1_000;
    },
  });
  const plain = [one("the engine, plain", direct("")), one("berth, plain", through(""))];
  const timed = [
    one("the engine, with times", direct("&timestamps=1")),
    one("berth, with times", through("?timestamps=true")),
    one("berth, NDJSON", through("?format=ndjson")),
  ];
  const ruler = { rounds: TURNS, unit: "thousand lines/s", better: "more" } as const;
  await rounds(`log-lines-${lineBytes}-plain`, plain, {
    ...ruler,
    about: `a log of ${lines} lines of ${lineBytes} bytes, read by curl on both sides`,
  });
  await rounds(`log-lines-${lineBytes}-times`, timed, {
    ...ruler,
    about: "the same with the engine's times",
  });
  await rounds(
    `log-lines-${lineBytes}-cpu`,
    [...plain, ...timed].filter(({ name }) => name.startsWith("berth")).map(({ name }) => ({
      name,
      run: () => spent.get(name)?.pop() ?? NaN,
    })),
    { rounds: TURNS, warmUps: 0, unit: "µs of CPU a line", about: "the same, as the service's own CPU time" },
  );
  await engine.cli("rm", "-f", id);
}

/** The seconds that one download took. */
async function curl(args: readonly string[], least: number): Promise<number> {
  const { code, stdout } = await new Deno.Command("curl", {
    args: ["-sS", "--fail", "-o", "/dev/null", "-w", "%{size_download} %{time_total}", ...args],
    signal: AbortSignal.timeout(300_000),
  }).output();
  const [bytes = 0, seconds = NaN] = new TextDecoder().decode(stdout).split(" ").map(Number);
  if (code !== 0 || bytes < least) throw new Error(`curl ended with ${code} behind ${bytes} bytes`);
  return seconds;
}
