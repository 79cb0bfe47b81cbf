/** All containers of a large draft taken over by the command line, in several calls, of which a later one may fail. */
import assert from "node:assert/strict";
import { runBerth } from "../support/berth_process.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { proofEngine } from "../support/shared_engine.ts";
import { workspace } from "../streams/live_scene.ts";

const { test } = await proofEngine("docker");
/** The most that one draft takes. */
const MOST = 500;
/** The projects of one call. */
const AT_ONCE = 25;

test("berth adopt takes 500 containers over in one go, and no plan has a step", async (engine) => {
  const names = await make(engine, MOST);
  await using berth = await scene(engine, names.length);
  const began = performance.now();
  const { code, stdout, stderr } = await adopt(berth, berth.url, names);
  console.log(`${MOST} containers adopted in ${Math.round(performance.now() - began)} ms`);
  assert.equal(code, 0, stderr);
  const { projects, failed } = JSON.parse(stdout);
  assert.deepEqual([projects.length, failed], [MOST, []]);
  assert.equal((await berth.call("GET /api/adoptions")).body.items.length, MOST);
  for (const name of [names[0], names[MOST / 2], names.at(-1)]) {
    const { body } = await berth.call(`POST /api/workspaces/home/artifacts/groups/${name}/plan`, {});
    // They were only created, so that 500 of them are quickly there.
    assert.deepEqual(
      body.steps.map(({ kind }: { kind: string }) => kind).filter((one: string) =>
        !["container.start", "wait"].includes(one)
      ),
      [],
    );
    assert.deepEqual(body.blocked, []);
  }
  assert.deepEqual(berth.bugs(), []);
});

test("where a later call of berth adopt fails, the answer names what was saved and what was not", async (engine) => {
  const names = await make(engine, 2 * AT_ONCE + 20);
  await using berth = await scene(engine, names.length);
  const taken = names[AT_ONCE + 3]!;
  await using between = passing(berth, 2, async () => {
    await workspace(berth, "other", `name: ${taken}\nservices:\n  web:\n    image: none\n`);
    return true;
  });
  const { code, stdout, stderr } = await adopt(berth, between.url, names);
  const { projects, failed } = JSON.parse(stdout);
  const saved = (await berth.call("GET /api/adoptions")).body.items.map(({ name }: { name: string }) => name);
  assert.deepEqual(projects.map(({ name }: { name: string }) => name).sort(), saved.sort());
  assert.equal(saved.length, AT_ONCE);
  assert.equal(failed.length, names.length - AT_ONCE);
  assert.deepEqual(
    [...projects, ...failed].map(({ name }: { name: string }) => name).sort(),
    [...names].sort(),
    "each has an answer",
  );
  const reasons = new Set(failed.map(({ why }: { why: string }) => why));
  assert.deepEqual([...reasons].map((one) => /has a project "|not tried/.exec(String(one))?.[0]), [
    'has a project "',
    "not tried",
  ]);
  assert.match(stderr, new RegExp(`Not saved: .*${taken}`));
  assert.equal(code, 1);

  // The same again, without those that are saved and the name that is taken, takes the others over.
  const others = names.filter((name) => !saved.includes(name) && name !== taken);
  const again = await adopt(berth, berth.url, others);
  assert.equal(again.code, 0, again.stderr);
  assert.equal((await berth.call("GET /api/adoptions")).body.items.length, names.length - 1);
  assert.deepEqual(berth.bugs(), []);
});

test("where an answer is lost, berth adopt does not say that the projects were not saved", async (engine) => {
  const names = await make(engine, AT_ONCE + 2);
  await using berth = await scene(engine, names.length);
  await using between = passing(berth, 2, () => Promise.resolve(false));
  const { code, stdout } = await adopt(berth, between.url, names);
  const { projects, failed } = JSON.parse(stdout);
  assert.equal(projects.length, AT_ONCE);
  assert.equal(failed.length, 2);
  for (const { why } of failed) assert.match(why, /not known if they were saved/);
  assert.equal(code, 4);
  assert.equal((await berth.call("GET /api/adoptions")).body.items.length, names.length, "they were");
  assert.deepEqual(berth.bugs(), []);
});

/** Creates containers, and removes those of an earlier test. */
async function make(engine: TestEngine, count: number): Promise<string[]> {
  for (const { Id } of (await engine.ask("GET /containers/json?all=1")).json) {
    const { status, body } = await engine.ask(`DELETE /containers/${Id}?force=1`);
    assert.equal(status, 204, body);
  }
  const names = Array.from({ length: count }, (_, n) => `many-${n}`);
  for (const name of names) {
    const body = { Image: FIXTURE, Cmd: ["idle"], Env: [`DB_PASSWORD=correct-horse-${name}`] };
    assert.equal((await engine.ask(`POST /containers/create?name=${name}`, body)).status, 201);
  }
  return names;
}

async function scene(engine: TestEngine, count: number): Promise<TestService> {
  const berth = await serveEngines({ docker: engine });
  await workspace(berth, "home", "name: declared\nservices:\n  web:\n    image: none\n");
  assert.equal((await berth.call("PUT /api/workspaces/home", { editable: true })).status, 200);
  await eventually("all are seen", async () => {
    const { body: { total } } = await berth.call("GET /api/containers?limit=1");
    if (total !== count) throw new Error(`${total} of ${count}`);
    return true;
  });
  return berth;
}

function adopt(berth: TestService, url: string, names: readonly string[]) {
  const args = ["adopt", ...names, "--workspace", "home", "--yes", "--json"];
  return runBerth(args, { BERTH_URL: url, BERTH_KEY: berth.credential! });
}

/**
 * Stands between the command and berth. Before the nth saving `meanwhile` runs; its answer says whether the command gets
 * to hear of the outcome.
 */
function passing(berth: TestService, nth: number, meanwhile: () => Promise<boolean>) {
  let savings = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const isMeant = pathname.endsWith("/accept") && ++savings === nth;
    const isHeard = !isMeant || await meanwhile();
    const headers = new Headers(request.headers);
    headers.delete("host");
    const body = request.method === "GET" ? null : await request.arrayBuffer();
    const answer = await fetch(`${berth.url}${pathname}${search}`, { method: request.method, headers, body });
    if (isHeard) return answer;
    await answer.body?.cancel();
    return new Response("lost", { status: 502 });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
