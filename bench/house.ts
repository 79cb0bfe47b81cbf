/**
 * A small answer through the whole service against bare Hono and bare Deno.serve; starts; memory when idle. `requests`,
 * `cpu`, `start` and `memory` measure that alone.
 */
import { restartable } from "./listed_berth.ts";
import { requestsPerSecond } from "./load.ts";
import { type Competitor, rounds } from "./rounds.ts";
import {
  AS_SHIPPED,
  programOf,
  type ServerOptions,
  type ServerProcess,
  startServer,
} from "./server_process.ts";

const here = new URL("./", import.meta.url);
const data = await Deno.makeTempDir({ prefix: "berth-bench-" });
const path = "/api/health";
const settings = { BERTH_DATA: data, BERTH_PORT: "PORT", BERTH_ENGINES: "none", ...AS_SHIPPED };
const servers = {
  "bare Hono": { args: ["-A", new URL("peers/bare_hono.ts", here).pathname, "PORT"], path },
  "bare Deno.serve": { args: ["-A", new URL("peers/bare_serve.ts", here).pathname, "PORT"], path },
  "berth": { args: ["-A", await programOf(), "serve"], path, env: settings },
} satisfies Readonly<Record<string, ServerOptions>>;

/** A route of berth that is as small as those of its peers. */
const greeting = {
  args: ["-A", new URL("peers/berth_hello.ts", here).pathname],
  path: "/api/hello",
  env: settings,
};

/** The cost of the headers that berth owes to every answer, and nothing else: the limit of a Deno service. */
const dressed = {
  args: ["-A", new URL("peers/dressed_serve.ts", here).pathname, "PORT"],
  path,
};

/** One process per competitor for the whole measurement, so that each is as warm as it gets. */
async function answering(measure: (server: ServerProcess) => Promise<number>): Promise<Competitor[]> {
  const competitors: Competitor[] = [];
  for (
    const [name, options] of Object.entries<ServerOptions>({
      "bare Hono": servers["bare Hono"],
      "bare Deno.serve": servers["bare Deno.serve"],
      "Deno.serve with berth's headers": dressed,
      berth: greeting,
    })
  ) {
    const server = await startServer(options);
    stack.use(server);
    competitors.push({ name, run: () => measure(server) });
  }
  return competitors;
}

await using stack = new AsyncDisposableStack();
stack.defer(() => Deno.remove(data, { recursive: true }));

const seconds = 2;
const isAsked = (part: string) => Deno.args.length === 0 || Deno.args.includes(part);
if (isAsked("requests")) {
  await rounds(
    "house-requests",
    await answering(({ port }) => requestsPerSecond({ port, path: greeting.path, seconds })),
    {
      unit: "requests/s",
      better: "more",
      about: "a small answer through router, guards, headers and log, 8 connections",
      warmUps: 2,
    },
  );
}
if (isAsked("cpu")) {
  await rounds(
    "house-cpu",
    await answering(async (server) => {
      const before = await server.cpuSeconds();
      const rate = await requestsPerSecond({ port: server.port, path: greeting.path, seconds });
      return (await server.cpuSeconds() - before) * 1e6 / (rate * seconds);
    }),
    { unit: "µs of CPU per request", about: "the same, as the server's own CPU time", warmUps: 2 },
  );
}
if (isAsked("start")) {
  await rounds(
    "house-start",
    Object.entries<ServerOptions>({
      ...servers,
      berth: await restartable(stack),
      "berth from its sources": await restartable(stack, new URL("../", here).pathname),
    }).map(([name, options]) => ({
      name,
      async run() {
        await using server = await startServer(options);
        return server.firstAnswerMs;
      },
    })),
    {
      rounds: 9,
      unit: "ms",
      about: "from the start of the process to the first answer; of berth, to the first list",
    },
  );
}
if (isAsked("memory")) {
  await rounds(
    "house-memory",
    Object.entries<ServerOptions>(servers).map(([name, options]) => ({
      name,
      async run() {
        await using server = await startServer(options);
        await new Promise((resolve) => setTimeout(resolve, 3000));
        return await server.rssBytes() / 1e6;
      },
    })),
    { unit: "MB", about: "resident memory, three seconds after the first answer" },
  );
}
