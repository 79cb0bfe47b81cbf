/** Words and exit codes of `berth apply`, `berth sync` and `berth swarm` for a part that is not well. */
import assert from "node:assert/strict";
import { clientFor } from "../../commands/connection.ts";
import { declaredProjects } from "../../commands/settle.ts";
import { answering, type Answers } from "../support/answering.ts";
import { type Ended, runBerth } from "../support/berth_process.ts";

async function before(answers: Answers, ...args: string[]): Promise<Ended> {
  await using berth = answering(answers);
  return await runBerth(args, { BERTH_URL: berth.url, BERTH_KEY: "berth_a_b" });
}

const blocked = { message: "the port 80 is taken", location: null, remedies: [] };
const PLAN = {
  group: "b",
  workspace: "home",
  steps: [],
  blocked: [blocked],
  warnings: [],
  missing: [],
  unchanged: 0,
};
const FOLDER = {
  "/api/workspaces": [{ items: [{ id: "home", name: "home", path: "/srv/home" }] }],
  "/api/workspaces/home/artifacts": [{ items: ["a", "b", "c"].map((name) => ({ name, type: "main" })) }],
  "/api/projects/a%40home/plan": [{ ...PLAN, group: "a", blocked: [] }],
  "/api/projects/b%40home/plan": [PLAN],
};

Deno.test("berth apply of a folder says why it ends and which projects it has left, with --json too", async () => {
  const { code, stdout, stderr } = await before(FOLDER, "apply", "home", "--yes", "--json");
  assert.deepEqual([code, stdout], [1, ""]);
  assert.equal(stderr, "berth: Cannot apply b: the port 80 is taken\nberth: Not applied: c@home\n");
});

const SYNCED = {
  url: "https://git.example/home.git",
  branch: "main",
  folder: "",
  state: "synced",
  error: null,
  waiting: null,
  synced: "aa11",
  head: "aa11",
  rewritten: false,
  pending: null,
  signers: [],
  uncommitted: [],
  history: [{ id: "aa11" }],
};
const rows = (...verdicts: string[]) => ({
  items: verdicts.map((verdict, at) => ({ id: `${"abc"[at]}@home`, verdict })),
  total: verdicts.length,
});

Deno.test("berth sync names what an earlier one has left, and is never fine where berth cannot tell", async () => {
  const behind = { ...SYNCED, state: "behind", synced: "9900" };
  const failed = { ...SYNCED, state: "failed", error: "the server is away" };
  const pending = { commits: [], groups: [], conflicts: [], skipped: [], files: 1, isPart: false };
  const some = rows("asWritten", "differs", "notStarted");
  const named = "Not as written: b@home (differs), c@home (not started)";
  const written = "home is at aa11\n";
  for (
    const [source, found, code, error, last] of [
      [SYNCED, rows("asWritten", "completed"), 0, "", "up to date\n"],
      [SYNCED, some, 2, named, "up to date\n"],
      [SYNCED, rows("unknown"), 4, "Not as written: a@home (unknown)", "up to date\n"],
      [failed, rows("asWritten"), 1, "The last check failed: the server is away", ""],
      [{ ...behind, pending }, rows("asWritten"), 0, "", written],
      [{ ...behind, pending }, some, 2, named, written],
      [behind, rows("asWritten"), 4, "could not tell which projects this commit changes", written],
    ] as const
  ) {
    const ended = await before(
      {
        "/api/workspaces": FOLDER["/api/workspaces"],
        "/api/workspaces/home/source": [source],
        "/api/workspaces/home/source/sync": [SYNCED],
        "/api/projects": [found],
      },
      "sync",
      "home",
      "--yes",
    );
    assert.deepEqual([ended.code, ended.stdout.endsWith(last)], [code, true], ended.stdout + ended.stderr);
    assert.ok(error === "" ? ended.stderr === "" : ended.stderr.includes(error), ended.stderr);
  }
});

Deno.test("berth incidents ends with 2 for an open one that is older than those listed", async () => {
  const listed = { items: [{ closedAt: "2026-01-01T00:00:00.000Z" }], next: "older" };
  const open = { items: [{ closedAt: null }], next: null };
  const codes: number[] = [];
  for (const older of [open, { items: [], next: null }]) {
    codes.push((await before({ "/api/incidents": [listed, older] }, "incidents", "--json")).code);
  }
  assert.deepEqual(codes, [2, 0]);
});

Deno.test("a command whose reader has closed the pipe ends with 1, and says nothing", async () => {
  await using berth = answering({ "/api/incidents": [{ items: [], next: null }] });
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", new URL("../../main.ts", import.meta.url).pathname, "incidents"],
    env: { BERTH_URL: berth.url, BERTH_KEY: "berth_a_b" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await child.stdout.cancel();
  const stderr = await new Response(child.stderr).text();
  assert.deepEqual([(await child.status).code, stderr], [1, ""]);
});

Deno.test("berth swarm ends with 2 where tasks or a quorum lack, and with 4 where no manager answers", async () => {
  const codes: number[] = [];
  for (const [state, running] of [["up", 2], ["up", 1], ["noQuorum", 2], ["away", 1]] as const) {
    const cluster = { name: "prod", state, reason: null, reachable: 1, managers: 1, spare: 0 };
    const service = {
      name: "web",
      running,
      desired: 2,
      stack: null,
      image: "web:1",
      tasks: [],
      update: null,
    };
    const { code } = await before({
      "/api/clusters": [{ items: [cluster] }],
      "/api/nodes": [{ items: [] }],
      "/api/services": [{ items: [service] }],
    }, "swarm");
    codes.push(code);
  }
  assert.deepEqual(codes, [0, 2, 2, 4]);
});

Deno.test("berth settle finds a project behind those that one list has", async () => {
  const project = (id: string, workspace: string | null = "home") => ({
    id,
    name: id.split("@")[0],
    workspace: workspace === null ? null : { id: workspace },
  });
  const listed = [project("a@home"), project("b@home"), project("b@engine:one", null)];
  const asked: string[] = [];
  const found = async (id: string, total: number) => {
    await using berth = answering({
      "/api/projects": [{ items: listed, total }],
      "/api/projects/z%40home": [project("z@home")],
      "/api/projects/b": [project("b@other", "other")],
    }, ({ pathname, search }) => void asked.push(`${pathname}${search}`));
    using client = clientFor({ url: berth.url, key: "berth_a_b" });
    return (await declaredProjects(client, id)).map((one) => one.id);
  };

  assert.deepEqual(await found("z@home", 5_001), ["z@home"]);
  assert.deepEqual(asked, ["/api/projects?limit=5000", "/api/projects/z%40home"]);
  assert.deepEqual(await found("b", 5_001), ["b@other"], "berth knows which one the name means");
  assert.deepEqual(await found("a@home", 5_001), ["a@home"]);
  assert.deepEqual(await found("b", 3), ["b@home"]);
  assert.deepEqual(await found("z@home", 3), []);
});
