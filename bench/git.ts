/**
 * Git: a check that finds nothing, a push among 200 projects until it is known what it changes, 10,000 files of a sync,
 * hooks, and a berth without any source beside one without these routes. `check`, `push`, `files`, `hooks` and `none`
 * are its parts.
 */
import { createHmac } from "node:crypto";
import type { Model } from "../artifacts/artifact.ts";
import type { SourceRecord } from "../core/source.ts";
import { Followed } from "../git/followed.ts";
import { Mirror } from "../git/mirror.ts";
import { Git } from "../git/process.ts";
import { git, TestRepository } from "../tests/support/git_server.ts";
import { startService, type TestService } from "../tests/support/service.ts";
import { filesOf } from "./earlier_commit.ts";
import { exchangesPerSecond, onPort } from "./exchanges.ts";
import { startBerth } from "./listed_berth.ts";
import { rounds, type Standing } from "./rounds.ts";
import type { ServerProcess } from "./server_process.ts";

const GROUPS = 200;
const FILES = 10_000;
const CHECKS = 20;
const APART_MS = 1_000;
const HOOKS_PER_SECOND = 50;
const HOOK_SECONDS = 20;

/** The bounds that are promised. */
const MOST_CHECK = 1.2;
const MOST_PUSH_MS = 2_000;
const MOST_AFTER_FETCH_MS = 200;
const MOST_FILES = 2;
const MOST_HOOKS = 0.05;
const MOST_NONE = 1.05;

const missed: string[] = [];
const held = (what: string, figure: number, most: number, unit: string) => {
  console.log(`${what}: ${figure.toFixed(3)} ${unit}; promised are at most ${most}`);
  if (!(figure <= most)) missed.push(what);
};

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

await using stack = new AsyncDisposableStack();

/** CPU seconds of a process and of its children that have ended. */
async function cpuOf(pid: number | "self"): Promise<number> {
  const text = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

/** A repository on a server in a process of its own. */
async function served(): Promise<TestRepository> {
  const script = new URL("peers/git_server.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-lock", script],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  stack.defer(async () => {
    await child.stdin.close();
    await child.status;
  });
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await reader.read();
  stack.defer(() => reader.cancel());
  const { work, bare, url } = JSON.parse(value);
  return new TestRepository(work, bare, url);
}

const service = (n: number) => `services:\n  web:\n    image: nginx:1\n    environment:\n      A: '${n}'\n`;
const projects = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`g${n}/compose.yaml`, service(0)]));

/** A workspace that follows the repository. */
async function following(berth: TestService, { url }: TestRepository): Promise<string> {
  const path = `${berth.folder}/workspaces/home`;
  await Deno.mkdir(path, { recursive: true });
  const { body: { id } } = await berth.call("POST /api/workspaces", { path });
  const set = await berth.call(`PUT /api/workspaces/${id}/source`, { url, branch: "main" });
  if (set.body.error !== null) throw new Error(set.text);
  return id;
}

async function sync(berth: TestService, id: string, commit: string): Promise<void> {
  const { body, text } = await berth.call(`POST /api/workspaces/${id}/source/sync`, { commit });
  if (body.state !== "synced" && body.state !== "behind") throw new Error(text);
}

async function check(): Promise<void> {
  const repository = await served();
  const head = await repository.push(projects(1));
  const folder = await Deno.makeTempDir({ prefix: "berth-bench-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const path = Deno.env.get("PATH")!;
  const { signal } = new AbortController();
  const mirror = new Mirror({ git: new Git({ PATH: path }), folder: `${folder}/home.git`, signal });
  const none = () => Promise.reject<never>(new Error("a check asks for nothing else"));
  const followed = new Followed({
    mirror,
    folder: { root: folder, hidden: [], allowHardLinks: false },
    remoteOf: () => Promise.resolve({ url: repository.url, branch: "main", credential: null, ssh: null }),
    model: none as () => Promise<Model>,
    own: none,
    mounted: none,
  });
  const record = { head, folder: "", signers: [], createdAt: 0 } as unknown as SourceRecord; // what a check reads
  await followed.check(record);
  const measured = (run: () => Promise<unknown>) => async () => {
    const begun = await cpuOf("self");
    for (let at = 0; at < CHECKS; at++) await run();
    return (await cpuOf("self") - begun) * 1_000 / CHECKS;
  };
  const [, own] = await rounds("git-check", [
    {
      name: "git ls-remote",
      run: measured(async () => {
        await sleep(APART_MS); // as berth's checks are
        await git(folder, "ls-remote", repository.url, "refs/heads/main");
      }),
    },
    { name: "berth: a check that finds nothing new", run: measured(() => followed.check(record)) },
  ], { unit: "ms of CPU", rounds: 7, about: `with all that is started for it; promised is ${MOST_CHECK}` });
  held("a check against git ls-remote", own?.ratio ?? NaN, MOST_CHECK, "times");
}

async function push(): Promise<void> {
  const repository = await served();
  const head = await repository.push(projects(GROUPS));
  await using berth = await startService();
  const id = await following(berth, repository);
  await sync(berth, id, head);
  const { body: hook } = await berth.call(`POST /api/workspaces/${id}/source/hook`);
  const clone = `${berth.folder}/clone.git`;
  await git("/", "clone", "--quiet", "--bare", repository.url, clone);
  let n = 1;
  const pushed = async (run: (commit: string) => Promise<void>) => {
    await sleep(1_000); // checks are a second apart
    const commit = await repository.push({ "g123/compose.yaml": service(n++) });
    const begun = performance.now();
    await run(commit);
    return performance.now() - begun;
  };
  const standings = await rounds("git-push", [
    {
      name: "git fetch",
      run: () => pushed(async () => void await git(clone, "fetch", "--quiet", repository.url, "main")),
    },
    {
      name: "a hook of berth, answered",
      run: () =>
        pushed(async (commit) => {
          const signature = createHmac("sha256", hook.secret).update("{}").digest("hex");
          const headers = { "x-hub-signature-256": `sha256=${signature}` };
          const { body, text } = await berth.anonymous().call(`POST ${hook.path}`, "{}", { headers });
          if (body?.commit !== commit || body.groups.length !== 1 || body.groups[0].name !== "g123") {
            throw new Error(text);
          }
        }),
    },
    {
      name: "the same until the source lists its reason and line",
      run: () =>
        pushed(async (commit) => {
          const { body, text } = await berth.call(`POST /api/workspaces/${id}/source/check`);
          const [group, ...others] = body.pending.groups;
          const isTold = body.head === commit && others.length === 0 && group.file === "g123/compose.yaml" &&
            group.line === 5;
          if (!isTold) throw new Error(text);
        }),
    },
  ], {
    rounds: 9,
    about: `a push that changes one of ${GROUPS} groups; promised are ${MOST_PUSH_MS} ms, and ` +
      `${MOST_AFTER_FETCH_MS} ms more than git fetch`,
  });
  const [fetched, ...told] = standings;
  for (const { name, median = NaN } of told) {
    held(name, median, MOST_PUSH_MS, "ms");
    held(`${name}, beyond git fetch`, median - (fetched?.median ?? 0), MOST_AFTER_FETCH_MS, "ms");
  }
}

async function files(): Promise<void> {
  const repository = await served();
  const empty = await repository.push({ "README.md": "empty" });
  const full = await repository.push(
    Object.fromEntries(
      Array.from({ length: FILES }, (_, n) => [`d${n % 100}/f${n}`, `file ${n}\n`.repeat(1 + n % 50)]),
    ),
  );
  await using berth = await startService();
  const id = await following(berth, repository);
  const target = `${berth.folder}/unpacked`;
  await sync(berth, id, empty);
  const [, own] = await rounds("git-files", [
    {
      name: "git archive into tar",
      run: async () => {
        await Deno.mkdir(target);
        const begun = performance.now();
        const { success } = await new Deno.Command("sh", {
          args: ["-c", 'git archive "$1" | tar -x -C "$2" && sync -f "$2"', "sh", full, target],
          cwd: repository.bare,
        }).output();
        const ms = performance.now() - begun;
        if (!success) throw new Error("nothing was unpacked");
        await Deno.remove(target, { recursive: true });
        return ms;
      },
    },
    {
      name: "berth: a sync",
      run: async () => {
        const begun = performance.now();
        await sync(berth, id, full);
        const ms = performance.now() - begun;
        await sync(berth, id, empty);
        return ms;
      },
    },
  ], { exact: true, about: `${FILES} new files until they are on disk; promised is ${MOST_FILES}` });
  held(`${FILES} files against tar`, own?.ratio ?? NaN, MOST_FILES, "times");
}

async function hooks(): Promise<void> {
  const repository = await served();
  await repository.push(projects(1));
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-bench-" }));
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const { server, key } = await startBerth(stack, "none", undefined, { BERTH_ROOTS: folder });
  stack.use(server);
  const address = `http://127.0.0.1:${server.port}`;
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${address}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return await answer.json();
  };
  const { id } = await call("POST", "/api/workspaces", { path: folder });
  await call("PUT", `/api/workspaces/${id}/source`, { url: repository.url, branch: "main" });
  const hook = await call("POST", `/api/workspaces/${id}/source/hook`);
  const signature = createHmac("sha256", hook.secret).update("{}").digest("hex");
  const headers = { "x-hub-signature-256": `sha256=${signature}`, "content-type": "application/json" };
  const share = async (perSecond: number) => {
    const begun = await cpuOf(server.pid);
    const sent: Promise<unknown>[] = [];
    for (let at = 0; at < HOOK_SECONDS * 10; at++) {
      for (let each = 0; each < perSecond / 10; each++) {
        sent.push(
          fetch(`${address}${hook.path}`, { method: "POST", headers, body: "{}" }).then((answer) =>
            answer.bytes()
          ),
        );
      }
      await sleep(100);
    }
    await Promise.all(sent);
    return (await cpuOf(server.pid) - begun) / HOOK_SECONDS * 100;
  };
  const [, busy] = await rounds("git-hooks", [
    { name: "no hook", run: () => share(0) },
    { name: `${HOOKS_PER_SECOND} signed hooks a second`, run: () => share(HOOKS_PER_SECOND) },
  ], { unit: "% of a core", exact: true, about: `with what git takes; promised are ${MOST_HOOKS * 100}` });
  held(`${HOOKS_PER_SECOND} hooks a second`, (busy?.median ?? NaN) / 100, MOST_HOOKS, "of a core");
}

const ROUTES = `import { type CoreRouter, router } from "../http/declare/router.ts";
export const sourceRoutes = (_: unknown): CoreRouter => router();
export const mustMayApply = (..._: unknown[]): void => {};
`;
const FEEDS = `import type { Feeds } from "../http/live/feed.ts";
export const sourceFeeds = (_: unknown): Feeds => ({ feeds: [], [Symbol.dispose]: () => {} });
`;

async function none(): Promise<void> {
  const cut = await Deno.makeTempDir({ prefix: "berth-bench-" });
  stack.defer(() => Deno.remove(cut, { recursive: true }));
  const absent = await filesOf("HEAD", cut);
  await Deno.writeTextFile(`${cut}/routes/sources.ts`, ROUTES);
  await Deno.writeTextFile(`${cut}/routes/live_sources.ts`, FEEDS);
  const versions = [
    {
      name: "without its routes and its feed",
      checkout: `${cut}/`,
      ...(absent === undefined ? {} : { absent }),
    },
    { name: "as it is, without a source", checkout: new URL("../", import.meta.url).pathname },
  ];
  const about = (what: string) => `${what}; promised is ${MOST_NONE}`;
  const measure = async (
    checkout: string,
    figure: (server: ServerProcess, key: string) => Promise<number>,
  ) => {
    await using own = new AsyncDisposableStack();
    const { server, key } = await startBerth(own, "none", checkout);
    own.use(server);
    return await figure(server, key);
  };
  const asked = async ({ port }: ServerProcess, key: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/workspaces`, {
      headers: { authorization: `Bearer ${key}` },
    });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.bytes();
  };
  const compared = async (
    name: string,
    what: string,
    unit: string,
    figure: (server: ServerProcess, key: string) => Promise<number>,
  ) => {
    const competitors = versions.map(({ name, checkout, ...rest }) => ({
      name,
      ...rest,
      run: () => measure(checkout, figure),
    }));
    const standings: Standing[] = await rounds(name, competitors, {
      unit,
      rounds: 9,
      about: about(what),
    });
    const ratio = standings[1]?.ratio ?? NaN;
    held(what, ratio, MOST_NONE, "times");
  };
  await compared(
    "git-none-start",
    "from the start of the process to a list",
    "ms of CPU",
    async (server, key) => {
      await asked(server, key);
      return await server.cpuSeconds() * 1_000;
    },
  );
  await compared(
    "git-none-memory",
    "resident memory, three seconds after a list",
    "MB",
    async (server, key) => {
      await asked(server, key);
      await sleep(3_000);
      return await server.rssBytes() / 1e6;
    },
  );
  await compared(
    "git-none-lists",
    "a list of workspaces, 8 connections",
    "µs of CPU a request",
    async (server, key) => {
      await asked(server, key);
      const target = onPort(server.port, { authorization: `Bearer ${key}` });
      const begun = await server.cpuSeconds();
      const seconds = 2;
      const perSecond = await exchangesPerSecond(target, "/api/workspaces", seconds);
      return (await server.cpuSeconds() - begun) * 1e6 / (perSecond * seconds);
    },
  );
}

const PARTS: Readonly<Record<string, () => Promise<void>>> = { check, push, files, hooks, none };
for (const [name, run] of Object.entries(PARTS)) {
  if (Deno.args.length === 0 || Deno.args.includes(name)) await run();
}
if (missed.length > 0) throw new Error(`It missed: ${missed.join(", ")}`);
