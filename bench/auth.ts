/** The cost of authentication: one route open, with an API key, and with an access token; and a password. */
import { Passwords } from "../auth/people/password.ts";
import { inspected, scriptedId, ScriptedWorld } from "../tests/support/scripted_world.ts";
import { exchangesPerSecond, onPort } from "./exchanges.ts";
import { startBerth, waitForAll } from "./listed_berth.ts";
import { requestsPerSecond } from "./load.ts";
import { type Competitor, rounds } from "./rounds.ts";
import { startServer } from "./server_process.ts";

const data = await Deno.makeTempDir({ prefix: "berth-bench-" });
await using stack = new AsyncDisposableStack();
stack.defer(() => Deno.remove(data, { recursive: true }));
const server = stack.use(
  await startServer({
    args: ["-A", new URL("peers/auth_server.ts", import.meta.url).pathname],
    path: "/api/bench/open",
    env: { BERTH_DATA: data, BERTH_PORT: "PORT", BERTH_ENGINES: "none" },
  }),
);
const { key, accessToken } = await credentials();
const seconds = 2;
const cases = [
  { name: "open", path: "/api/bench/open", headers: {} },
  { name: "API key", path: "/api/bench/closed", headers: { authorization: `Bearer ${key}` } },
  { name: "access token", path: "/api/bench/closed", headers: { authorization: `Bearer ${accessToken}` } },
];

await rounds(
  "auth-requests",
  cases.map(({ name, path, headers }) => ({
    name,
    run: () => requestsPerSecond({ port: server.port, path, headers, seconds }),
  })),
  {
    unit: "requests/s",
    better: "more",
    about: "the same small JSON answer, 8 connections",
    warmUps: 2,
    rounds: 7,
  },
);
await rounds(
  "auth-cpu",
  cases.map(({ name, path, headers }) => ({
    name,
    async run() {
      const before = await server.cpuSeconds();
      const rate = await requestsPerSecond({ port: server.port, path, headers, seconds });
      return (await server.cpuSeconds() - before) * 1e6 / (rate * seconds);
    },
  })),
  { unit: "µs of CPU per request", about: "the same, as the server's own CPU time", warmUps: 1 },
);

const COUNT = 500;
await rounds("auth-scoped-list", await scopedLists(), {
  unit: "requests/s",
  better: "more",
  about: `a list of ${COUNT} containers, 8 connections: with a key that reaches them by a scope, and by none`,
  warmUps: 2,
  rounds: 7,
});

const passwords = new Passwords();
const hash = await passwords.hash("a long enough secret");
await rounds("auth-password", [{
  name: "one check",
  async run() {
    const begun = performance.now();
    await passwords.check("a long enough secret", hash);
    return performance.now() - begun;
  },
}, {
  name: "longest turn of the loop",
  async run() {
    let longest = 0;
    let at = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - at);
      at = performance.now();
    }, 1);
    await passwords.check("a long enough secret", hash);
    clearInterval(timer);
    return longest;
  },
}], { unit: "ms", about: "a password against its scrypt hash, off the event loop", warmUps: 1 });

/** The same list for a viewer everywhere, and for one of the project that all of it belongs to. */
async function scopedLists(): Promise<Competitor[]> {
  const containers = new Map(Array.from({ length: COUNT }, (_, number) => {
    const one = inspected(scriptedId(number + 1), `bench-${number}`);
    const Labels = { "com.docker.compose.project": "bench", "com.docker.compose.service": `s${number}` };
    return [scriptedId(number + 1), { ...one, Config: { ...one["Config"] as object, Labels } }];
  }));
  const engine = stack.use(new ScriptedWorld({ containers }));
  const { server, key } = await startBerth(stack, `scripted=unix://${engine.socket}`);
  stack.use(server);
  await waitForAll(server, key, COUNT);
  const keyFor = async (name: string, grant: Record<string, unknown>): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/settings/api-keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ name, grants: [grant] }),
    });
    return (await answer.json()).key;
  };
  const lists = {
    "a viewer's key": await keyFor("everywhere", { role: "viewer" }),
    "the same on one project": await keyFor("scoped", { role: "viewer", on: ["project:bench"] }),
  };
  return Object.entries(lists).map(([name, own]) => {
    const target = onPort(server.port, { authorization: `Bearer ${own}` });
    return { name, run: () => exchangesPerSecond(target, "/api/containers", seconds) };
  });
}

/** Written by the server right after it began to listen. */
async function credentials(): Promise<{ key: string; accessToken: string }> {
  for (let attempt = 0; attempt < 500; attempt++) {
    try {
      return JSON.parse(await Deno.readTextFile(`${data}/credentials.json`));
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  throw new Error("the server wrote no credentials");
}
