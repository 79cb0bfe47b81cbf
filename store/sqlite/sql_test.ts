import assert from "node:assert/strict";
import { all, get, run } from "../sql/steps.ts";
import { SqliteDatabase } from "./database.ts";
import { sqliteSql, translated } from "./sql.ts";

Deno.test("translated() gives SQLite what the texts of PostgreSQL say, and strings as they are", () => {
  const texts = [
    [
      "SELECT a FROM t WHERE b = $1 AND ($2::text IS NULL OR c = $2)",
      "SELECT a FROM t WHERE b = ?1 AND (?2 IS NULL OR c = ?2)",
    ],
    ["SELECT 1 FROM t WHERE id = $12 FOR UPDATE SKIP LOCKED", "SELECT 1 FROM t WHERE id = ?12"],
    ["SELECT 1 FROM t FOR KEY SHARE", "SELECT 1 FROM t"],
    [
      "UPDATE t SET a = u.a FROM unnest($1::text[], $2::bytea[]) AS u (id, a) WHERE t.id = u.id",
      "UPDATE t SET a = u.a FROM (SELECT ?1 AS id, ?2 AS a) AS u WHERE t.id = u.id",
    ],
    [
      "INSERT INTO t (a, b) SELECT * FROM unnest($1::text[], $2::bigint[]) AS e",
      "INSERT INTO t (a, b) SELECT * FROM (SELECT ?1, ?2) AS e",
    ],
    [
      "EXISTS (SELECT 1 FROM jsonb_array_elements(k.grants::jsonb) AS g (value) WHERE g.value ->> 'role' = 'admin')",
      "EXISTS (SELECT 1 FROM json_each(k.grants) AS g WHERE g.value ->> 'role' = 'admin')",
    ],
    [
      "INSERT INTO t VALUES (1) ON CONFLICT (id) DO UPDATE SET a = '{}'",
      "INSERT INTO t VALUES (1) ON CONFLICT (id) DO UPDATE SET a = '{}'",
    ],
  ] as const;
  for (const [postgres, sqlite] of texts) assert.equal(translated(postgres), sqlite);
});

Deno.test("Steps of two SQLite transactions never mix, and a statement over arrays runs for each row", async () => {
  const folder = await Deno.makeTempDir({ prefix: "berth-sql-" });
  const database = await SqliteDatabase.open(`${folder}/store.db`);
  try {
    const sql = sqliteSql(database);
    const seen: string[] = [];
    const insert = "INSERT INTO audit_strangers (hour, peer, action, result, count) " +
      "SELECT $1::bigint, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) AS s";
    const change = (peer: string) =>
      sql.write(function* () {
        seen.push(peer);
        const changed = yield* run(insert, 1, [peer, peer], ["a", "b"], ["x", "x"], [1, 2]);
        seen.push(peer);
        return changed;
      });
    assert.deepEqual(await Promise.all([change("p"), change("q")]), [2, 2]);
    assert.deepEqual(seen, ["p", "p", "q", "q"]);
    const rows = await sql.read(() =>
      all("SELECT peer, action, count FROM audit_strangers ORDER BY peer, action")
    );
    assert.deepEqual(rows, [
      { peer: "p", action: "a", count: 1 },
      { peer: "p", action: "b", count: 2 },
      { peer: "q", action: "a", count: 1 },
      { peer: "q", action: "b", count: 2 },
    ]);
    const undone = sql.write(function* () {
      yield* run("DELETE FROM audit_strangers");
      throw new Error("changed its mind");
    });
    await assert.rejects(undone, /changed its mind/);
    const count = () => get<{ n: number }>("SELECT count(*) AS n FROM audit_strangers");
    assert.deepEqual(await sql.read(count), { n: 4 });
  } finally {
    database.close();
    await Deno.remove(folder, { recursive: true });
  }
});
