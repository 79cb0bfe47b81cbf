/** Endings of containers beside real engines: what they said last is there when they are gone, bounded and masked. */
import assert from "node:assert/strict";
import { compose, workspace } from "../streams/live_scene.ts";
import { runBerth } from "../support/berth_process.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestCaller, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";

const TIMES = { watchTimes: { beginMs: 0, tickMs: 100, wellMs: 1_000 } };
/** Projects of ten containers that Compose takes down, `BERTH_PROOF=1` for all, and endings without words. */
const PROJECTS = Deno.env.get("BERTH_PROOF") === "1" ? 10 : 1;
const EACH = 10;
const MOST_LOST = Math.max(1, PROJECTS * EACH * 0.05);
const CANARY = "canary-9f2c61aa";

// deno-lint-ignore no-explicit-any -- a test reads what it expects
async function endingsOf(berth: TestCaller, query: string): Promise<any[]> {
  const { status, body, text } = await berth.call(`GET /api/endings${query}`);
  assert.equal(status, 200, text);
  return body.items;
}

// deno-lint-ignore no-explicit-any -- the same
async function wordsOf(berth: TestCaller, { id }: any): Promise<any> {
  const { status, body, text } = await berth.call(`GET /api/endings/${id}/log`);
  assert.equal(status, 200, text);
  return body;
}

/** Runs a container to its end, and returns what berth kept of it. */
async function ended(engine: TestEngine, berth: TestCaller, name: string, script: string, ...more: string[]) {
  await engine.cli("run", "-d", "--name", name, ...more, FIXTURE, "sh", "-c", script);
  return await eventually(
    `${name} ended`,
    async () => (await endingsOf(berth, `?container=${name}`))[0] ?? null,
  );
}

/** Starts a project by Compose, takes it down, and returns the endings that have words. */
async function keptOf(engine: TestEngine, berth: TestService, project: string) {
  const names = Array.from({ length: EACH }, (_, n) => `s${n}`);
  const script = (name: string) => `trap 'echo bye ${name}; exit 3' TERM; while :; do sleep 0.1; done`;
  const services = names.map((name) =>
    `  ${name}: { image: "${FIXTURE}", command: [sh, -c, "${script(name)}"] }\n`
  );
  const { path, id } = await workspace(berth, project, `services:\n${services.join("")}`);
  assert.equal(await compose(engine, path, "up", "-d"), "");
  assert.equal(await compose(engine, path, "down"), "");
  const found = await eventually("all endings are there", async () => {
    const items = await endingsOf(berth, `?workspace=${id}&limit=100`);
    return items.length === EACH ? items : null;
  });
  const kept = found.filter(({ words }) => words === "kept");
  for (const one of kept) {
    const name = one.unit.replace(`unit:${project}.`, "");
    assert.deepEqual([one.exitCode, one.container.includes(name)], [3, true]);
    assert.deepEqual((await wordsOf(berth, one)).lines, [`bye ${name}`]);
  }
  return kept;
}

async function watching(engine: TestEngine) {
  const berth = await serveEngines({ [engine.kind]: engine }, TIMES);
  await eventually("berth watches", async () => await berth.berth.store.incidents.wasWatched());
  return berth;
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("what every container said last is there after Compose has removed it", async (engine) => {
    await using berth = await watching(engine);
    const kept: { readonly unit: string }[] = [];
    for (let round = 0; round < PROJECTS; round++) kept.push(...await keptOf(engine, berth, `gone${round}`));
    assert.ok(kept.length >= PROJECTS * EACH - MOST_LOST, `${kept.length} of ${PROJECTS * EACH} have words`);
    console.log(`${engine.kind}: ${kept.length} of ${PROJECTS * EACH} endings have words`);
    const { unit } = kept[0]!; // there are that many
    const run = (...args: string[]) =>
      runBerth(["endings", unit.slice("unit:".length), ...args], {
        BERTH_URL: berth.url,
        BERTH_KEY: berth.credential!,
      });
    assert.match((await run()).stdout, / gone0.*s\d+.* 3 +kept/);
    assert.match((await run("--log")).stdout, /^bye s\d+\n$/);
  });

  test("an ending has 64 KiB of its log at most, without secrets, and its words are in no file", async (engine) => {
    await using berth = await watching(engine);
    const long = await ended(engine, berth, "long", "head -c 20000000 /dev/zero | tr '\\0' x; echo; exit 7");
    const said = await wordsOf(berth, long);
    assert.deepEqual([long.exitCode, said.words], [7, "kept"]);
    assert.ok(said.lines.join("").length <= 64 * 1024);
    // Podman does not find the end of such a log in time, and is asked for all of it.
    assert.ok(said.isCut && /^x+ … x+$/.test(said.lines[0]), JSON.stringify(said.lines).slice(0, 200));
    const script = `echo "DB_PASSWORD=${CANARY} refused"; echo "token is $API_TOKEN"; echo last; exit 1`;
    const secret = await ended(engine, berth, "secret", script, "-e", `API_TOKEN=${CANARY}-2`);
    const { lines } = await wordsOf(berth, secret);
    assert.equal(lines.at(-1), "last");
    assert.ok(lines.length === 3 && !JSON.stringify(lines).includes(CANARY), lines.join("\n"));
    const silent = await ended(engine, berth, "silent", "exit 0");
    assert.deepEqual([silent.words, silent.exitCode, silent.unit], ["none", 0, null]);
    const marked = await ended(engine, berth, "marked", "echo marked-4711; exit 1");
    assert.deepEqual((await wordsOf(berth, marked)).lines, ["marked-4711"]);
    for await (const { name, isFile } of Deno.readDir(`${berth.folder}/data`)) {
      if (!isFile) continue;
      const bytes = new TextDecoder("latin1").decode(await Deno.readFile(`${berth.folder}/data/${name}`));
      assert.ok(!bytes.includes(CANARY) && !bytes.includes("marked-4711"), name);
    }
    const limited = berth.as(
      (await berth.call("POST /api/settings/api-keys", {
        name: "limited",
        grants: [{ permissions: ["containers:read"] }],
      })).body.key,
    );
    assert.equal((await endingsOf(limited, "?container=marked")).length, 1);
    assert.equal((await limited.call(`GET /api/endings/${marked.id}/log`)).status, 403);
    const elsewhere = berth.as(
      (await berth.call("POST /api/settings/api-keys", {
        name: "elsewhere",
        grants: [{ role: "viewer", on: ["project:shop"] }],
      })).body.key,
    );
    assert.equal((await endingsOf(elsewhere, "")).length, 0);
    assert.equal((await elsewhere.call(`GET /api/endings/${marked.id}/log`)).status, 404);
  });

  test("a container that is removed by force leaves an ending that says so, or its words", async (engine) => {
    await using berth = await watching(engine);
    await engine.cli("run", "-d", "--name", "forced", FIXTURE, "idle");
    await engine.cli("rm", "-f", "forced");
    const gone = await eventually(
      "it ended",
      async () => (await endingsOf(berth, "?container=forced"))[0] ?? null,
    );
    assert.ok(["removedTooSoon", "none"].includes(gone.words), gone.words);
    const refused = await berth.call("GET /api/endings/0/log");
    assert.deepEqual([refused.status, refused.body.code], [404, "ending_not_found"]);
  });

  test("of a crash loop three endings are kept, and every one is counted", async (engine) => {
    await using berth = await watching(engine);
    const loop = 'services:\n  web: { image: "' + FIXTURE +
      "\", restart: always, command: [sh, -c, 'echo crash; exit 4'] }\n";
    const { id, path } = await workspace(berth, "loop", loop);
    assert.equal(await compose(engine, path, "up", "-d"), "");
    const open = await eventually("its incident counts them", async () => {
      const [one] = (await berth.call("GET /api/incidents?state=open&kind=broken")).body.items;
      return one?.endings >= 6 ? one : null;
    }, { timeoutMs: 60_000 });
    const endings = await eventually("what was not kept is counted", async () => {
      const items = await endingsOf(berth, `?incident=${open.id}`);
      return items.length > 0 && items[0].more > 0 ? items : null;
    });
    assert.equal(endings.length, 3);
    assert.ok(endings.every(({ unit, exitCode }) => unit === "unit:loop.web" && exitCode === 4));
    // An engine that starts it again at the same moment refuses to remove it
    await eventually("it is down", async () => await compose(engine, path, "down", "-t", "0") === "");
    // The words of a workspace go along with it.
    assert.equal((await berth.call(`DELETE /api/workspaces/${id}`)).status, 204);
    assert.equal((await endingsOf(berth, "")).length, 0);
  });
}
