/** A log of 500 MB through berth, beside curl on the engine's socket and docker-modem on Node. */
import { FIXTURE, NoEngine, startEngine, type TestEngine } from "../tests/support/engine.ts";
import { eventually } from "../tests/support/eventually.ts";
import { startStreams } from "../tests/support/stream_process.ts";
import { startNodePeer } from "./node_peer.ts";
import { type Competitor, rounds } from "./rounds.ts";
import { cpuSecondsOf } from "./server_process.ts";

const LINES = 2_500_000;
const LINE_BYTES = 200;
const MEGABYTES = LINES * LINE_BYTES / 1e6;
const TURNS = 5;

try {
  await using engine = await startEngine("docker");
  await largeLog(engine);
} catch (error) {
  if (!(error instanceof NoEngine)) throw error;
  console.log(`absent: a real engine, ${error.message}`);
}

async function largeLog(engine: TestEngine): Promise<void> {
  const words = "GET /api/items 200 12ms user=alice trace=0123456789abcdef ".repeat(4).slice(
    0,
    LINE_BYTES - 9,
  );
  const script = `awk 'BEGIN { for (i = 1; i <= ${LINES}; i++) printf "%07d ${words}\\n", i }'; exec idle`;
  const id = await engine.cli("run", "-d", "--log-driver", "json-file", FIXTURE, "sh", "-c", script);
  await eventually(
    "the log is written",
    async () => (await engine.cli("logs", "--tail", "1", id)).includes(String(LINES)),
    { timeoutMs: 300_000, everyMs: 500 },
  );
  await using berth = await startStreams(engine.socket);
  const node = await startNodePeer("docker_modem_logs.mjs", ["dockerode@4"], [engine.socket, "PORT"]);
  await using stack = new AsyncDisposableStack();
  if (typeof node !== "string") stack.use(node);

  const spent = new Map<string, number[]>();
  const through = (name: string, front: () => Promise<number>, ...args: string[]): Competitor => ({
    name,
    async run() {
      const before = await front();
      const seconds = await curl(args);
      spent.set(name, [...spent.get(name) ?? [], (await front() - before) * 1000 / MEGABYTES]);
      return MEGABYTES / seconds;
    },
  });
  const url = `http://127.0.0.1:${berth.port}/api/containers/${id}/logs`;
  const engineUrl = `http://engine/v1.41/containers/${id}/logs?stdout=1&stderr=1`;
  const nobody = () => Promise.resolve(0);
  const competitors = [
    through(
      "curl on the engine's socket, with times",
      nobody,
      "--unix-socket",
      engine.socket,
      `${engineUrl}&timestamps=1`,
    ),
    through("curl on the engine's socket", nobody, "--unix-socket", engine.socket, engineUrl),
    through("berth, text", berth.cpuSeconds, url),
    through("berth, NDJSON", berth.cpuSeconds, `${url}?format=ndjson`),
    through("berth, events", berth.cpuSeconds, `${url}?format=sse`),
    typeof node === "string"
      ? { name: "docker-modem on Node, text", absent: node }
      : through("docker-modem on Node, text", () =>
        cpuSecondsOf(node.pid), `http://127.0.0.1:${node.port}/${id}`),
  ];
  await rounds("large-log", competitors, {
    rounds: TURNS,
    warmUps: 0,
    unit: "MB/s",
    better: "more",
    about: `a log of ${MEGABYTES} MB in lines of ${LINE_BYTES} bytes, read by curl from beginning to end`,
  });
  await rounds(
    "large-log-cpu",
    competitors.filter(({ name }) => !name.startsWith("curl")).map(({ name, absent }) => ({
      name,
      ...(absent === undefined ? {} : { absent }),
      run: () => spent.get(name)?.shift() ?? NaN,
    })),
    { rounds: TURNS, warmUps: 0, unit: "ms of CPU per MB", about: "the same, as the server's own CPU time" },
  );
  await engine.cli("rm", "-f", id);
}

/** The seconds that one download took. */
async function curl(args: readonly string[]): Promise<number> {
  const { code, stdout } = await new Deno.Command("curl", {
    args: ["-sS", "--fail", "-o", "/dev/null", "-w", "%{size_download} %{time_total}", ...args],
    signal: AbortSignal.timeout(300_000),
  }).output();
  const [bytes, seconds] = new TextDecoder().decode(stdout).split(" ").map(Number);
  if (code !== 0 || bytes === undefined || seconds === undefined || bytes < MEGABYTES * 1e6) {
    throw new Error(`curl ended with ${code} behind ${bytes} bytes of ${args.at(-1)}`);
  }
  return seconds;
}
