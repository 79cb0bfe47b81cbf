/** Two replicas on one PostgreSQL watch and tell once, also while one of them stands still. */
import assert from "node:assert/strict";
import { randomSecret } from "../../auth/secret.ts";
import { type BerthProcess, startBerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { TestCaller } from "../support/service.ts";
import { within } from "../support/within.ts";

const server = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null!;

const OVER = { timeoutMs: 90_000 };
/** The lease of watching ends within 15 s, and then the other one looks. */
const TAKEOVER_MS = 20_000;
const NAMES = ["first", "second", "third"];
/** Registered after the others: a look that tells of it has seen those well, so that their ends are told. */
const LAST = "last";

const setUpOf = async (replicas: readonly BerthProcess[]): Promise<string> => {
  const printed = replicas.find(({ stdout }) => /#setup=/.test(stdout));
  const [, token] = /#setup=(\S+)/.exec(printed?.stdout ?? "") ?? [];
  const made = await new TestCaller(replicas[0]!.url, null).call("POST /api/settings/setup", {
    token,
    name: "me",
  });
  assert.equal(made.status, 201, made.text);
  return made.body.key;
};

Deno.test({
  name:
    "two replicas open one incident and send one message, also while the one that watches stands still (F131)",
  ignore: CANNOT_RUN_POSTGRES !== null,
  fn: async () => {
    const told: string[] = [];
    await using receiver = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
      const { type, data } = await request.json();
      if (type === "incidents") told.push(...data.incidents.map((one: { subject: string }) => one.subject));
      return new Response(null, { status: 204 });
    });
    const { name } = await server.database();
    const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-watchers-" }));
    try {
      await Deno.writeTextFile(`${root}/sealing-key`, randomSecret(), { mode: 0o600 });
      await Deno.mkdir(`${root}/folders`);
      for (const one of [...NAMES, LAST]) await Deno.mkdir(`${root}/folders/${one}`);
      const start = (replica: string) =>
        startBerthProcess({
          env: {
            BERTH_DATABASE_URL: server.url(name),
            BERTH_SEALING_KEY_FILE: `${root}/sealing-key`,
            BERTH_REPLICA: replica,
            BERTH_ROOTS: `${root}/folders`,
          },
        });
      await using one = await start("one");
      await using two = await start("two");
      const key = await setUpOf([one, two]);
      const admin = new TestCaller(one.url, key);
      const other = new TestCaller(two.url, key);
      for (const folder of [...NAMES, LAST]) {
        const made = await admin.call("POST /api/workspaces", { path: `${root}/folders/${folder}` });
        assert.equal(made.status, 201, made.text);
      }
      const address = `http://127.0.0.1:${receiver.addr.port}/`;
      const notice = { name: "ops", kind: "webhook", address, afterS: 0, tells: ["workspace"] };
      assert.equal((await admin.call("POST /api/notices", notice)).status, 201);
      const isWatched = async () =>
        (await admin.call("GET /api/incidents?kind=berth")).body.items.length === 1;
      await eventually("they watch", isWatched, OVER);

      const openOf = async (folder: string, caller: TestCaller) => {
        const { items } = (await caller.call("GET /api/incidents?kind=workspace&state=open")).body;
        return items.filter(({ workspace }: { workspace: string }) => workspace === folder);
      };
      await Deno.remove(`${root}/folders/${LAST}`);
      await eventually("all are looked at", async () => (await openOf(LAST, admin)).length > 0, OVER);
      const goes = async (folder: string, caller: TestCaller) => {
        await Deno.remove(`${root}/folders/${folder}`);
        await within(
          TAKEOVER_MS,
          `${folder} is recorded`,
          async () => (await openOf(folder, caller)).length > 0,
        );
        await eventually(`${folder} is told`, () => told.some((text) => text.endsWith(folder)), OVER);
        assert.equal((await openOf(folder, caller)).length, 1);
      };
      await goes("first", admin);
      for (const [still, folder, caller] of [[one, "second", other], [two, "third", admin]] as const) {
        Deno.kill(still.pid, "SIGSTOP");
        try {
          await goes(folder, caller);
        } finally {
          Deno.kill(still.pid, "SIGCONT");
        }
      }
      // The one that stood still last goes on, and tells nothing again.
      await eventually("both answer", async () => (await other.call("GET /api/incidents")).status === 200);
      const { items } = (await other.call("GET /api/incidents?kind=workspace")).body;
      assert.equal(items.length, NAMES.length + 1);
      const names = told.map((text) => text.split(" ").at(-1)).filter((name) => name !== LAST);
      assert.deepEqual(names, NAMES, "each was told once");
    } finally {
      await Deno.remove(root, { recursive: true });
    }
  },
});
