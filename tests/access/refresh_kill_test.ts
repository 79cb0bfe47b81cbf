/** Promise: whoever lost the answer of a refresh because berth died asks again, and is still signed in. */
import assert from "node:assert/strict";
import { randomSecret } from "../../auth/secret.ts";
import { ON_SQLITE } from "../support/chosen_store.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { startService, TestCaller } from "../support/service.ts";

const ACTOR = new URL("refresh_actor.ts", import.meta.url).pathname;
const server = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null!;

interface Lost {
  /** The admin's. */
  readonly key: string;
  /** The token that the caller still has. */
  readonly refreshToken: string;
  readonly killedAt: number;
}

/** A session whose first refresh was done by a berth that died before it could say so. */
async function loseAnswer(folder: string, ...database: string[]): Promise<Lost> {
  const actor = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", ACTOR, folder, ...database],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const said = actor.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const [url = "", key = ""] = ((await said.read()).value ?? "").trim().split(" ");
  const caller = new TestCaller(url, null);
  const { body: opened } = await caller.call("POST /api/auth/key", { key });
  const { refreshToken } = opened;
  await assert.rejects(caller.call("POST /api/auth/refresh", { refreshToken }));
  const killedAt = Date.now();
  assert.equal((await actor.status).signal, "SIGKILL");
  await said.cancel();
  return { key, refreshToken, killedAt };
}

/** The grace counts from the kill, and a busy machine may start late. */
const stopped = (at: number) => ({ now: () => at, monotonic: () => performance.now() });

Deno.test({
  name: "a refresh whose berth is killed between its commit and its answer succeeds again, once (F41)",
  ignore: !ON_SQLITE, // the other process has a database of its own
  async fn() {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-refresh-" }));
    try {
      const { key, refreshToken, killedAt } = await loseAnswer(folder);
      await using berth = await startService({ folder, admin: key, clock: stopped(killedAt) });
      const anonymous = berth.anonymous();
      const again = await anonymous.call("POST /api/auth/refresh", { refreshToken });
      assert.equal(again.status, 200, again.text);
      assert.notEqual(again.body.refreshToken, refreshToken);
      assert.equal((await berth.as(again.body.accessToken).call("GET /api/auth/me")).status, 200);
      const next = await anonymous.call("POST /api/auth/refresh", { refreshToken: again.body.refreshToken });
      assert.equal(next.status, 200, next.text);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name:
    "a refresh whose replica is killed before its answer succeeds at the other one, and was done once (F41)",
  ignore: CANNOT_RUN_POSTGRES !== null,
  async fn() {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-refresh-" }));
    try {
      const database = await server.database();
      const sealingKeyFile = `${folder}/sealing-key`;
      await Deno.writeTextFile(sealingKeyFile, randomSecret(), { mode: 0o600 });
      const { key, refreshToken, killedAt } = await loseAnswer(folder, JSON.stringify(database));
      const there = { database, sealingKeyFile, replica: "two", data: `${folder}/two` };
      await using two = await startService({ folder, admin: key, clock: stopped(killedAt), ...there });
      const refresh = (refreshToken: string) =>
        two.anonymous().call("POST /api/auth/refresh", { refreshToken });
      const generations = async () =>
        (await server.sql("SELECT generation FROM sessions", database.name)).map(({ generation }) =>
          generation
        );

      assert.deepEqual(await generations(), [2]);
      const again = await Promise.all([1, 2, 3].map(() => refresh(refreshToken)));
      assert.deepEqual(again.map(({ status }) => status), [200, 200, 200]);
      const successors = new Set(again.map(({ body }) => body.refreshToken));
      assert.equal(successors.size, 1, "all were given the token that the first one made");
      assert.deepEqual(await generations(), [2]);

      assert.equal((await two.as(again[0]!.body.accessToken).call("GET /api/auth/me")).status, 200);
      assert.equal((await refresh([...successors][0]!)).status, 200);
      assert.deepEqual(await generations(), [3]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
