/** Two faults meet at the store of an apply: its disk is full, or its database never answers a COMMIT that is done. */
import assert from "node:assert/strict";
import { randomSecret } from "../../auth/secret.ts";
import { ApplyScene, project, scene, service } from "./apply_scene.ts";
import { eventually } from "../support/eventually.ts";
import { CANNOT_RUN_POSTGRES, type PostgresServer, sharedPostgres } from "../support/postgres.ts";
import { PostgresWire } from "../support/postgres_wire.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { mayMount, SmallDisk } from "../support/small_disk.ts";
import { HEALTHY } from "./health_checks.ts";

const text = (name: string, colour: string) =>
  project(name, [
    service("db", `volumes: ['/scratch']\nrestart: always\nenvironment: { C: ${colour} }\n${HEALTHY}`),
    service("web", `environment: { C: ${colour} }\ndepends_on: { db: { condition: service_healthy } }`),
  ]);

const { test } = await sharedEngine("docker");
const database: PostgresServer = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null!;

test(
  "An apply that begins on a full disk is refused, changes nothing, and begins with room (F86)",
  async (engine) => {
    await using disk = await SmallDisk.mount("16m");
    await scene(engine, "brimful", text("brimful", "red"), async (scene) => {
      assert.equal((await scene.apply()).state, "done");
      await scene.write(text("brimful", "blue"));
      const plan = await scene.plan();
      const before = await scene.containers();
      disk.fill();
      const refused = await eventually("the store is full", async () => {
        const answer = await scene.begin(plan);
        return answer.status === 202 ? await scene.over(answer.body.id) && null : answer;
      });
      assert.deepEqual([refused.status, refused.body.code], [503, "store_unavailable"]);
      assert.match(refused.body.title, /the disk is full/);
      assert.deepEqual(await scene.containers(), before, "nothing was changed");
      disk.empty();
      const { items } = (await scene.berth.call("GET /api/applies")).body;
      assert.deepEqual(items.map(({ state }: { state: string }) => state), ["done"], "none was begun");
      const begun = await eventually("there is room", async () => {
        const answer = await scene.begin(plan);
        return answer.status === 202 ? answer : null;
      });
      assert.equal((await scene.over(begun.body.id)).state, "done");
    }, { folder: disk.folder, logFile: "none" });
  },
  mayMount ? null : "no small file system may be mounted here",
);

/** Cuts all connections instead of the answer of a COMMIT that is meant and done. Returns how often. */
function losing(wire: PostgresWire, name: string, isMeant: (nth: number, begun: string) => boolean) {
  let count = 0;
  let lost = 0;
  let isCutting = false;
  const transactions = new WeakMap<object, string>();
  wire.onSend = (open, piece, over) => {
    const sent = new TextDecoder("latin1").decode(piece);
    const begun = sent.includes("BEGIN") ? sent : (transactions.get(over) ?? "") + sent;
    transactions.set(over, begun);
    if (!sent.includes("COMMIT") || isCutting || !isMeant(++count, begun)) return;
    isCutting = true;
    lost++;
    open.mute();
    const isDone = async () => {
      const open = "SELECT pid FROM pg_stat_activity " +
        `WHERE datname = '${name}' AND (state <> 'idle' OR query NOT LIKE 'COMMIT%') AND query LIKE '%COMMIT%'`;
      return (await database.sql(open)).length === 0;
    };
    eventually("the database has it", isDone).finally(() => {
      open.cut();
      open.speak();
      isCutting = false;
    });
  };
  return () => lost;
}

async function onLosingDatabase(
  engine: Parameters<Parameters<typeof test>[1]>[0],
  name: string,
  work: (
    scene: ApplyScene,
    lose: (isMeant: (nth: number, begun: string) => boolean) => () => number,
  ) => Promise<void>,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const settings = await database.database();
  const wire = stack.use(new PostgresWire(database.folder));
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-lost-" }));
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  await Deno.writeTextFile(`${folder}/sealing-key`, randomSecret(), { mode: 0o600 });
  const berth = stack.use(
    await serveEngines({ docker: engine }, {
      folder,
      database: { ...settings, host: wire.folder },
      sealingKeyFile: `${folder}/sealing-key`,
      applyTimes: { leaseMs: 1_000 },
    }),
  );
  const scene = await ApplyScene.on(engine, berth, name, text(name, "red"));
  stack.defer(() => scene.clear());
  assert.equal((await scene.apply()).state, "done");
  await scene.write(text(name, "blue"));
  await work(scene, (isMeant) => losing(wire, settings.name, isMeant));
  wire.onSend = () => {};
  const containers = await scene.containers();
  assert.deepEqual(Object.keys(containers), [`${name}-db-1`, `${name}-web-1`]);
  for (const { env, state } of Object.values(containers)) {
    assert.deepEqual([env.includes("C=blue"), state], [true, "running"]);
  }
  assert.equal((await berth.call("GET /api/health")).body.checks.applies.status, "ok");
  assert.deepEqual(berth.bugs(), []);
}

test("An apply whose first COMMIT is done and never answered is carried out once (F123)", async (engine) => {
  await onLosingDatabase(engine, "lostbegin", async (scene, lose) => {
    const plan = await scene.plan();
    // A statement that its connection has prepared is sent without its text, so the record itself is looked for.
    const lost = lose((_, begun) => begun.includes(`"plan":{"workspace":"lostbegin"`));
    const answer = await scene.begin(plan);
    assert.deepEqual([answer.status, answer.body.code, lost()], [503, "store_unavailable", 1]);
    const [latest, ...others] = await eventually("the applies are listed", async () => {
      const { status, body } = await scene.berth.call("GET /api/applies");
      return status === 200 ? body.items : null;
    });
    assert.equal(others.length, 1, "it is there once, beside the one before");
    assert.equal((await scene.over(latest.id)).state, "done");
  });
}, CANNOT_RUN_POSTGRES);

test(
  "An apply continues to its end although COMMITs of its journal are never answered (F123)",
  async (engine) => {
    await onLosingDatabase(engine, "lostlines", async (scene, lose) => {
      const { body } = await scene.begin(await scene.plan());
      const lost = lose((nth) => nth % 5 === 0 && nth <= 30);
      const over = await eventually("it is over", async () => {
        const { status, body: apply } = await scene.berth.call(`GET /api/applies/${body.id}`);
        return status === 200 && apply.state !== "running" ? apply : null;
      }, { timeoutMs: 120_000 });
      assert.deepEqual([over.state, over.reason], ["done", null]);
      assert.ok(lost() > 1, "some answers were lost");
      const made = (await scene.events(body.id)).filter(({ kind, state }) =>
        kind === "step" && state === "done"
      );
      assert.equal(made.length, new Set(made.map(({ step }) => step)).size, "each step ended once");
    });
  },
  CANNOT_RUN_POSTGRES,
);
