/** The cost of a request beyond `fetch`: CPU time of this process, the server being another one, next to its peers. */
import process from "node:process";
import axios from "npm:axios@1.21.1";
import ky from "npm:ky@2.1.0";
import { ofetch } from "npm:ofetch@1.5.1";
import createOpenapiClient from "npm:openapi-fetch@0.17.0";
import { Client, Endpoint } from "@berth/client";
import { type Competitor, rounds } from "./rounds.ts";

interface User {
  id: number;
  name: string;
}

/** The paths that openapi-fetch is typed by. */
interface Paths {
  "/users/{id}": {
    parameters: { path: { id: number }; query: { q: string } };
    get: {
      parameters: { path: { id: number }; query: { q: string } };
      responses: { 200: { content: { "application/json": User } } };
    };
  };
}

if (import.meta.main) {
  if (Deno.args[0] === "serve") await serve();
  else await bench(Number(Deno.args[0] ?? 9));
}

/** Answers 60 bytes of JSON to anyone, until its standard input ends. */
async function serve(): Promise<void> {
  const body = JSON.stringify({ id: 7, name: "a name that fills sixty bytes of JSON." });
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }) => console.log(port),
  }, () => new Response(body, { headers: { "content-type": "application/json" } }));
  for await (const _ of Deno.stdin.readable); // until the parent closes it
  await server.shutdown();
}

async function bench(turns: number): Promise<void> {
  const lock = new URL("../tests/deno.lock", import.meta.url);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `--lock=${lock.pathname}`, import.meta.filename ?? "", "serve"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  try {
    const { value } = await child.stdout.pipeThrough(new TextDecoderStream()).getReader().read();
    const base = `http://127.0.0.1:${(value ?? "").trim()}`;
    const calls = competitors(base);
    for (const [way, parallel, count] of [["sequential", 1, 2000], ["parallel", 50, 4000]] as const) {
      const measured = calls.map(([name, call]): Competitor => ({
        name,
        run: () => cpuMicros(call, parallel, count),
      }));
      await rounds(`client-${way}`, measured, {
        rounds: turns,
        unit: "µs of CPU a request",
        about: way === "parallel" ? "50 at a time" : "one after another",
      });
    }
  } finally {
    await child.stdin.close();
    await child.status;
  }
}

/** CPU time of this process for one request, out of so many. */
async function cpuMicros(call: () => Promise<User>, parallel: number, count: number): Promise<number> {
  const start = process.cpuUsage();
  for (let done = 0; done < count; done += parallel) {
    if (parallel === 1) check(await call());
    else (await Promise.all(Array.from({ length: parallel }, call))).forEach(check);
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}

function check(user: User): void {
  if (user.id !== 7) throw new Error("a wrong answer");
}

/** The same request by everybody: one path parameter, one query parameter, a time limit, parsed JSON. */
function competitors(base: string): [string, () => Promise<User>][] {
  const timeout = 15_000;
  const client = new Client({ baseUrl: base });
  const endpoint = new Endpoint("users/{id}").typed<{ get: { response: User } }>();
  const typed = createOpenapiClient<Paths>({ baseUrl: base });
  const axiosClient = axios.create({ baseURL: base, timeout });
  const kyClient = ky.create({ prefix: base, timeout, retry: 0 });
  const ofetchClient = ofetch.create({ baseURL: base, timeout, retry: 0 });
  return [
    ["fetch", async () => JSON.parse(await (await fetch(`${base}/users/7?q=a`)).text())],
    ["fetch with a time limit", async () => {
      const response = await fetch(`${base}/users/7?q=a`, { signal: AbortSignal.timeout(timeout) });
      return JSON.parse(await response.text());
    }],
    [
      "@berth/client",
      async () => (await client.get(endpoint, { params: { id: 7 }, query: { q: "a" } })).json(),
    ],
    ["ofetch", () => ofetchClient<User>("/users/7", { query: { q: "a" } })],
    ["openapi-fetch", async () => {
      const { data } = await typed.GET("/users/{id}", {
        params: { path: { id: 7 }, query: { q: "a" } },
        signal: AbortSignal.timeout(timeout),
      });
      return data!; // absent for errors only, which the server does not answer
    }],
    ["ky", () => kyClient.get("users/7", { searchParams: { q: "a" } }).json<User>()],
    ["axios", async () => (await axiosClient.get<User>("/users/7", { params: { q: "a" } })).data],
  ];
}
