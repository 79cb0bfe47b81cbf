/** A database that is away for an hour: the clock of berth is moved through it, minute by minute. */
import assert from "node:assert/strict";
import { randomSecret } from "../../auth/secret.ts";
import { MovableClock } from "../support/access_service.ts";
import { CANNOT_RUN_POSTGRES, PostgresServer } from "../support/postgres.ts";
import { startService, TestCaller } from "../support/service.ts";
import { within } from "../support/within.ts";

const PASSWORD = "correct horse battery staple";
const MINUTE_MS = 60_000;

Deno.test({
  name: "An hour without its database costs berth nothing that it acknowledged, and it goes on by itself",
  ignore: CANNOT_RUN_POSTGRES !== null,
  async fn() {
    await using server = await PostgresServer.start();
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-hour-" }));
    await using _tidy = { [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
    const sealingKeyFile = `${folder}/sealing-key`;
    await Deno.writeTextFile(sealingKeyFile, randomSecret(), { mode: 0o600 });
    const clock = new MovableClock();
    const database = await server.database();
    await using berth = await startService({ folder, database, sealingKeyFile, clock });

    const viewer = await berth.key("viewer");
    await Deno.mkdir(`${folder}/workspaces/shop`);
    const made = await berth.call("POST /api/workspaces", { path: `${folder}/workspaces/shop` });
    assert.equal(made.status, 201, made.text);
    const ada = await berth.call("POST /api/settings/people", { name: "ada", role: "operator" });
    const link = { token: ada.body.passwordToken, password: PASSWORD };
    assert.equal((await berth.anonymous().call("POST /api/auth/password-link", link)).status, 200);
    const signIn = { name: "ada", password: PASSWORD };
    const session = (await berth.anonymous().call("POST /api/auth/password", signIn)).body;
    const acts = [
      () => viewer.call("GET /api/workspaces"),
      () => berth.call("POST /api/settings/api-keys", { name: "never", role: "admin" }),
      () => berth.call("DELETE /api/workspaces/shop"),
      () => new TestCaller(berth.url, session.accessToken).call("GET /api/auth/me"),
      () => berth.anonymous().call("POST /api/auth/refresh", { refreshToken: session.refreshToken }),
      () => berth.anonymous().call("POST /api/auth/password", signIn),
    ];

    await server.down();
    const said = new Set<string>();
    for (let minute = 0; minute < 60; minute++) {
      clock.move(MINUTE_MS);
      for (const act of acts) {
        const { status, body } = await act();
        said.add(`${status} ${body.code}`);
      }
      assert.equal((await berth.anonymous().call("GET /api/health/live")).status, 200);
      assert.equal((await berth.anonymous().call("GET /api/health/ready")).status, 503);
    }
    assert.deepEqual([...said], ["503 store_unavailable"]);
    assert.deepEqual((await berth.anonymous().call("GET /api/health")).body, { status: "failed" });

    await server.up();
    await within(10_000, "berth is well", async () => (await berth.call("GET /api/health")).status === 200);
    assert.equal((await viewer.call("GET /api/workspaces")).body.items[0].id, "shop");
    const { refreshToken } = session;
    const refreshed = await berth.anonymous().call("POST /api/auth/refresh", { refreshToken });
    assert.equal(refreshed.status, 200, refreshed.text);
    assert.equal((await berth.as(refreshed.body.accessToken).call("GET /api/auth/me")).body.name, "ada");
    const { items } = (await berth.call("GET /api/settings/api-keys")).body;
    assert.deepEqual(items.map(({ name }: { name: string }) => name).sort(), ["test", "test admin"]);
    // Nobody could be told from a stranger: each refusal is counted, and its hour is closed while time goes on.
    const { body: audit } = await berth.call("GET /api/system/audit?limit=100");
    const refused = (action: string) =>
      [...audit.items, ...audit.strangers].filter((one) =>
        one.action === action && one.result === "store_unavailable"
      ).reduce((sum, { count }) => sum + count, 0);
    const acted = ["POST /api/settings/api-keys", "DELETE /api/workspaces/{id}", "POST /api/auth/password"];
    assert.deepEqual(acted.map(refused), [60, 60, 60]);
    await berth.key("viewer");
    assert.deepEqual(berth.bugs(), []);
  },
});
