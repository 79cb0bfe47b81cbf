/** The rate of other requests while logs are downloaded, and the cost of the downloads where nobody else asks. */
import { FIXTURE, NoEngine, startEngine, type TestEngine } from "../tests/support/engine.ts";
import { fill, startBerth, waitForAll } from "./listed_berth.ts";
import { requestsPerSecond } from "./load.ts";
import { rounds } from "./rounds.ts";

const LINES = 300_000;
const DOWNLOADS = 4;
const COUNT = 50;
const SECONDS = 2;
const WRITE =
  `BEGIN { for (n = 1; n <= ${LINES}; n++) print "GET /api/items 200 12ms user=alice trace=0123456789abcdef", n }`;

try {
  await using engine = await startEngine("docker");
  await measure(engine);
} catch (error) {
  if (!(error instanceof NoEngine)) throw error;
  console.log(`absent: a real engine, ${error.message}`);
}

async function measure(engine: TestEngine): Promise<void> {
  await fill(engine, 0, COUNT);
  const talker = (await engine.cli("run", "-d", "--network", "none", FIXTURE, "awk", WRITE)).trim();
  await engine.cli("wait", talker);
  await using stack = new AsyncDisposableStack();
  const { server, key } = await startBerth(stack, engine.setting);
  stack.use(server);
  await waitForAll(server, key, COUNT + 1);
  const headers = { authorization: `Bearer ${key}` };
  const log = `http://127.0.0.1:${server.port}/api/containers/${talker}/logs?tail=all`;
  const lists = () =>
    requestsPerSecond({ port: server.port, path: "/api/containers", headers, seconds: SECONDS });

  const ofBerth = ["-H", `authorization: Bearer ${key}`, log];
  const ofEngine = [
    "--unix-socket",
    engine.socket,
    `http://engine/containers/${talker}/logs?stdout=1&stderr=1`,
  ];
  let ended = 0;
  await rounds("downloads", [
    { name: "lists alone", run: lists },
    {
      name: `lists beside ${DOWNLOADS} downloads`,
      async run() {
        await using _reading = downloads(ofBerth, () => ended++);
        return await lists();
      },
    },
    {
      // The share that engine and readers take of the machine, whatever berth does.
      name: `lists beside ${DOWNLOADS} downloads from the engine's socket`,
      async run() {
        await using _reading = downloads(ofEngine, () => {});
        return await lists();
      },
    },
  ], {
    unit: "requests/s",
    better: "more",
    about:
      `a list of ${COUNT} containers, 8 connections, while logs are read from beginning to end again and again; the aim is 0.9`,
  });
  console.log(`  ${ended} logs were read to their end meanwhile`);
  await rounds("downloads-cpu", [
    {
      name: "berth",
      async run() {
        const before = await server.cpuSeconds();
        await whole(ofBerth);
        return (await server.cpuSeconds() - before) * 1e6 / LINES;
      },
    },
  ], {
    unit: "µs of CPU a line",
    about: `a log of ${LINES} lines that is downloaded while nobody else asks`,
  });
}

/** Reads logs until it is disposed of: by processes of their own, so that their work is not the caller's. */
function downloads(what: readonly string[], ended: () => void): AsyncDisposable {
  const over = new AbortController();
  const readers = Array.from({ length: DOWNLOADS }, async () => {
    while (!over.signal.aborted) {
      if (await whole(what, over.signal)) ended();
    }
  });
  return {
    async [Symbol.asyncDispose]() {
      over.abort();
      await Promise.all(readers);
    },
  };
}

/** Returns false if it was broken off. */
async function whole(what: readonly string[], signal?: AbortSignal): Promise<boolean> {
  const { code } = await new Deno.Command("curl", {
    args: ["-sS", "--fail", "-o", "/dev/null", ...what],
    ...(signal && { signal }),
    stderr: "null",
  }).output();
  if (code !== 0 && signal?.aborted !== true) throw new Error(`curl ended with ${code}`);
  return code === 0;
}
