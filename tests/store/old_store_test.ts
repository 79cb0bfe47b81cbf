/** A store that commit 015db1d wrote, with its own code, opens: keys keep their rights, and sessions go on. */
import assert from "node:assert/strict";
import { permissionsOf } from "../support/catalogue.ts";
import { type AccessService, MovableClock, startAccess } from "../support/access_service.ts";

const FIXTURE = new URL("../support/fixtures/access_015db1d/", import.meta.url);
const was = JSON.parse(await Deno.readTextFile(new URL("credentials.json", FIXTURE)));

/** On a copy of the folder, a minute after it was written. */
async function reopened(): Promise<{ berth: AccessService; folder: string }> {
  const folder = await Deno.makeTempDir({ prefix: "berth-old-" });
  await Deno.copyFile(new URL("berth.db", FIXTURE), `${folder}/berth.db`);
  await Deno.writeTextFile(`${folder}/sealing-key`, `${was.sealingKey}\n`, { mode: 0o600 });
  const clock = new MovableClock();
  clock.move(was.at + 60_000 - Date.now());
  const roles = [{ claim: "groups", value: "ops", role: "operator" }] as const;
  return { berth: await startAccess({ folder, clock, roles }), folder };
}

Deno.test("A store of commit 015db1d opens: its keys keep their rights, and nothing takes them along (F77)", async () => {
  const { berth, folder } = await reopened();
  try {
    await using _ = berth;
    const me = async (token: string) => (await berth.call("GET /api/auth/me", { token })).body;
    assert.deepEqual((await me(was.admin)).permissions, permissionsOf("admin"));
    const viewer = await me(was.viewer.key);
    assert.deepEqual([viewer.role, viewer.grants], [
      "viewer",
      [{ role: "viewer", permissions: permissionsOf("viewer") }],
    ]);
    assert.deepEqual((await me(was.restarter.key)).permissions, ["containers:read", "containers:control"]);
    const { body } = await berth.call("GET /api/settings/api-keys", { token: was.admin });
    assert.deepEqual(
      body.items.map((
        key: Record<string, unknown>,
      ) => [key["name"], key["createdBy"], key["creator"], key["from"]]),
      [["first", "setup", null, []], ["ci", "first", null, []], ["restarter", "first", null, []]],
    );
    assert.equal((await berth.call("GET /api/settings/setup-required")).body.setupRequired, false);
    const last = await berth.call(`DELETE /api/settings/api-keys/${body.items[0].id}`, { token: was.admin });
    assert.equal(last.body.code, "last_admin");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("A session of commit 015db1d goes on, with the account and the rights that it had (F77)", async () => {
  const { berth, folder } = await reopened();
  try {
    await using _ = berth;
    const me = await berth.call("GET /api/auth/me", { token: was.accessToken });
    assert.deepEqual([me.status, me.body.id, me.body.role, me.body.email], [
      200,
      was.account,
      "operator",
      "ada@example.org",
    ]);
    const next = await berth.call("POST /api/auth/refresh", { body: { refreshToken: was.refreshToken } });
    assert.equal(next.status, 200, next.text);
    const { body } = await berth.call("GET /api/auth/sessions", { token: next.body.accessToken });
    assert.deepEqual(body.items.map((one: Record<string, unknown>) => [one["id"], one["provedAt"]]), [
      [was.session, null],
    ]);
    const people = await berth.call("GET /api/settings/people", { token: was.admin });
    const [ada] = people.body.items;
    assert.deepEqual([ada.name, ada.signIn, ada.role, ada.sessions], ["Ada", "provider", "operator", 1]);
    const put = await berth.call(`PUT /api/settings/people/${ada.id}`, {
      token: was.admin,
      body: { disabled: true },
    });
    assert.equal(put.status, 200, put.text);
    assert.equal((await berth.call("GET /api/auth/me", { token: next.body.accessToken })).status, 401);
    assert.equal((await berth.call("GET /api/system/audit", { token: was.admin })).status, 200);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
