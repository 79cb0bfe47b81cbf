/**
 * Writes a store as this version of berth leaves it, with something of everything, and what must be found in it for
 * ever: `deno run -A --lock=tests/deno.lock tests/store/write_store_fixture.ts tests/support/fixtures/stores/0.1.0`.
 */
import { DatabaseSync } from "node:sqlite";
import { startService } from "../support/service.ts";

const [target] = Deno.args;
if (target === undefined) throw new Error("Expected the folder to write to");
const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-fixture-" }));
await Deno.mkdir(`${folder}/workspaces/shop`, { recursive: true });
await Deno.writeTextFile(`${folder}/workspaces/shop/compose.yaml`, "services: { web: { image: nginx } }\n");
{
  await using berth = await startService({ folder, install: [] });
  const made = async (route: string, body: unknown) => {
    const answer = await berth.call(route, body);
    if (answer.status >= 300) throw new Error(`${route}: ${answer.text}`);
    return answer.body;
  };
  await made("POST /api/workspaces", { path: `${folder}/workspaces/shop`, name: "Shop" });
  const viewer = await made("POST /api/settings/api-keys", {
    name: "nightly",
    role: "viewer",
    expiresInDays: 3650,
  });
  await made("POST /api/settings/api-keys", {
    name: "scoped",
    grants: [{ permissions: ["workspaces:read"], on: ["workspace:shop", "label:team=web"] }],
    from: ["10.0.0.0/8"],
  });
  const gone = await made("POST /api/settings/api-keys", { name: "gone", role: "operator" });
  await berth.call(`DELETE /api/settings/api-keys/${gone.id}`);
  const ada = await made("POST /api/settings/people", { name: "ada", grants: [{ role: "operator" }] });
  const password = "a long one, for nothing else";
  await made("POST /api/auth/password-link", { token: ada.passwordToken, password });
  await berth.anonymous().call("GET /api/workspaces");
  for (let n = 0; n < 5; n++) await berth.as(viewer.key).call("GET /api/settings/api-keys");
  await Deno.mkdir(target, { recursive: true });
  const facts = {
    admin: berth.admin,
    viewer: viewer.key,
    person: { name: "ada", password },
    found: {
      keys: (await berth.call("GET /api/settings/api-keys")).body.items.map(
        only("id", "name", "grants", "from"),
      ),
      people: (await berth.call("GET /api/settings/people")).body.items.map(
        only("id", "name", "role", "signIn"),
      ),
      workspaces: (await berth.call("GET /api/workspaces")).body.items.map(only("id", "name")),
      audited: (await berth.call("GET /api/system/audit?result=done")).body.items.map(
        only("action", "target"),
      ),
    },
  };
  await Deno.writeTextFile(`${target}/facts.json`, `${JSON.stringify(facts, null, 2)}\n`);
}
{
  using store = new DatabaseSync(`${folder}/data/berth.db`);
  // Everywhere the same, where the folder is none
  store.exec("UPDATE workspaces SET path = '/srv/shop'; PRAGMA wal_checkpoint(TRUNCATE); VACUUM");
}
await Deno.copyFile(`${folder}/data/berth.db`, `${target}/berth.db`);
await Deno.copyFile(`${folder}/data/sealing-key`, `${target}/sealing-key`);
await Deno.remove(folder, { recursive: true });

function only(...names: string[]): (row: Record<string, unknown>) => Record<string, unknown> {
  return (row) => Object.fromEntries(names.map((name) => [name, row[name]]));
}
