/** Stores of every version that there was: they open, they hold what they held, and so do their backups. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { sealsFrom } from "../../auth/audit/seals.ts";
import { gainsOfPlugins, gainsSince, ROLE_GAINS } from "../../auth/keys/role_gains.ts";
import { verifyAudit } from "../../auth/audit/verify.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { MIGRATIONS } from "../../store/sqlite/migrations.ts";
import { PLUGINS } from "../../plugins/plugins.ts";
import { startService, type TestService } from "../support/service.ts";

const STORES = new URL("../support/fixtures/stores/", import.meta.url);
const versions = [...Deno.readDirSync(STORES)].filter(({ isDirectory }) => isDirectory).map(({ name }) =>
  name
);

/** Returns what the running service shows of the names in `facts.json`, in their order. */
async function shown(berth: TestService, found: Record<string, Record<string, unknown>[]>) {
  const routes: Record<string, string> = {
    keys: "/api/settings/api-keys",
    people: "/api/settings/people",
    workspaces: "/api/workspaces",
    audited: "/api/system/audit?result=done",
  };
  return Object.fromEntries(
    await Promise.all(
      Object.entries(found).map(async ([what, rows]) => {
        const { body } = await berth.call(`GET ${routes[what]}`);
        const fields = Object.keys(rows[0]!);
        return [
          what,
          body.items.slice(-rows.length).map((row: Record<string, unknown>) =>
            Object.fromEntries(fields.map((field) => [field, row[field]]))
          ),
        ];
      }),
    ),
  );
}

Deno.test("a store of every schema that there was opens with all that was in it, as does its backup (F77)", async (context) => {
  assert.ok(versions.length > 0);
  for (const version of versions) {
    await context.step(version, async () => {
      const at = (name: string) => new URL(`${version}/${name}`, STORES);
      const facts = JSON.parse(await Deno.readTextFile(at("facts.json")));
      const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-upgrade-" }));
      try {
        for (const [folder, from] of [["first", null], ["restored", "first"]] as const) {
          const data = `${root}/${folder}/data`;
          await Deno.mkdir(data, { recursive: true, mode: 0o700 });
          const source = from === null ? at("berth.db") : `${root}/${from}.backup`;
          await Deno.copyFile(source, `${data}/berth.db`);
          await Deno.writeTextFile(`${data}/sealing-key`, await Deno.readTextFile(at("sealing-key")), {
            mode: 0o600,
          });
          await using berth = await startService({
            folder: `${root}/${folder}`,
            admin: facts.admin,
            install: [],
          });
          assert.deepEqual(await shown(berth, facts.found), facts.found);
          const gains = berth.logged().map((line) => JSON.parse(line)).filter(({ role }) =>
            role !== undefined
          );
          assert.deepEqual(
            gains.map(({ level, role, permissions }) => [level, role, permissions]),
            from === null ? [["warn", "operator", "projects:plan projects:apply"]] : [],
            "the first start after the upgrade names what roles gained",
          );
          assert.equal((await berth.as(facts.viewer).call("GET /api/workspaces")).status, 200);
          assert.equal((await berth.as(facts.viewer).call("GET /api/settings/api-keys")).status, 403);
          const signedIn = await berth.anonymous().call("POST /api/auth/password", facts.person);
          assert.equal(signedIn.status, 200, signedIn.text);
          await berth.berth.store.backup!(`${root}/${folder}.backup`);
        }
        await using store = await openSqliteStore(`${root}/restored/data/berth.db`);
        const key = (await Deno.readTextFile(at("sealing-key"))).trim();
        const seals = await sealsFrom(Uint8Array.fromBase64(key, { alphabet: "base64url" }));
        while (await store.audit.seal(seals, 1_000) > 0);
        const { chains } = await verifyAudit(store.audit, seals, []);
        assert.deepEqual(chains.map(({ broken }) => broken), [null, null]);
      } finally {
        await Deno.remove(root, { recursive: true });
      }
    });
  }
});

Deno.test("each fixture is of a schema that berth knows, and none is of a newer one", () => {
  for (const version of versions) {
    using store = new DatabaseSync(new URL(`${version}/berth.db`, STORES).pathname, { readOnly: true });
    const schema = Number(store.prepare("PRAGMA user_version").get()?.["user_version"]);
    assert.ok(schema >= 1 && schema <= MIGRATIONS.length, `${version} has schema ${schema}`);
  }
});

Deno.test("a permission that a role gained is told once, to a store of before alone, and named in the changelog", async () => {
  const gains = [
    { role: "viewer", permissions: ["a:read"], since: { sqlite: 3, postgres: 2 } },
    { role: "viewer", permissions: ["b:read"], since: { sqlite: 4, postgres: 2 } },
  ] as const;
  const told = (kind: "sqlite" | "postgres", schema: number) =>
    gainsSince({ kind, schema }, gains).get("viewer") ?? [];
  assert.deepEqual([2, 3, 4].map((schema) => told("sqlite", schema)), [["a:read", "b:read"], ["b:read"], []]);
  assert.deepEqual([1, 2].map((schema) => told("postgres", schema)), [["a:read", "b:read"], []]);
  assert.equal(gainsSince(null, gains).size, 0);
  const changelog = await Deno.readTextFile(new URL("../../CHANGELOG.md", import.meta.url));
  const ofPlugins = gainsOfPlugins(PLUGINS);
  const gained = gainsSince({ kind: "sqlite", schema: 23 }, ofPlugins);
  assert.deepEqual([gained.get("operator"), gained.get("admin")?.length], [["services:control"], 3]);
  assert.equal(gainsSince({ kind: "sqlite", schema: 24 }, ofPlugins).size, 0);
  for (const { role, permissions } of [...ROLE_GAINS, ...ofPlugins]) {
    const line = changelog.split("\n- ").find((one) => one.startsWith(`**The role \`${role}\` gained`)) ?? "";
    for (const one of permissions) assert.ok(line.includes(`\`${one}\``), `${role} gained ${one}`);
  }
});
