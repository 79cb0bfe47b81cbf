/** Promise: whatever moment berth is killed at, no acknowledged change and no act is without its entry. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { sealsFrom } from "../../auth/audit/seals.ts";
import { verifyAudit } from "../../auth/audit/verify.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";

/** `BERTH_TEST_KILLS=500` for the whole proof. */
const KILLS = Number(Deno.env.get("BERTH_TEST_KILLS") ?? "3");
const ACTOR = new URL("audit_actor.ts", import.meta.url).pathname;

/** Lets it work until it has said `lines` lines, kills it, and answers with all that it said. */
async function killed(folder: string, admin: string, lines: number): Promise<string[]> {
  const actor = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", ACTOR, folder, admin],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let text = "";
  for await (const chunk of actor.stdout.pipeThrough(new TextDecoderStream())) {
    const before = text.split("\n").length;
    text += chunk;
    if (before <= lines && text.split("\n").length > lines) actor.kill("SIGKILL");
  }
  await actor.status;
  return text.split("\n").slice(0, -1);
}

Deno.test(`${KILLS} kills in the middle of work leave no change and no act without its entry, and whole chains (F8, R56)`, async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-kill-" }));
  try {
    let admin = "";
    let seen = 0;
    for (let round = 0; round < KILLS; round++) {
      const said = await killed(folder, admin, 20 + round % 17);
      admin = said.find((line) => line.startsWith("key "))?.slice(4) ?? assert.fail("it never began");
      const path = `${folder}/data/berth.db`;
      const store = new DatabaseSync(path);
      const has = (sql: string, value: string) => store.prepare(sql).get(value) !== undefined;
      for (const line of said) {
        const [kind, what = ""] = line.split(" ");
        if (kind === "key") continue;
        seen++;
        const sql = kind === "act"
          ? "SELECT 1 FROM audit WHERE request_id = ? AND result = 'begun'"
          : "SELECT 1 FROM audit WHERE target = ? AND result = 'done'";
        assert.ok(has(sql, what), `round ${round}: "${line}" is not told`);
      }
      // Also what was never acknowledged: no key is there without the entry that tells of it.
      const untold = store.prepare(
        "SELECT id FROM keys WHERE id NOT IN (SELECT substr(target, -16) FROM audit WHERE result = 'done')",
      ).all();
      assert.deepEqual(untold, [], `round ${round}`);
      store.close();
    }
    assert.ok(seen >= KILLS * 15, `only ${seen} were looked at`);
    const text = (await Deno.readTextFile(`${folder}/data/sealing-key`)).trim();
    const seals = await sealsFrom(Uint8Array.fromBase64(text, { alphabet: "base64url" }));
    await using store = await openSqliteStore(`${folder}/data/berth.db`);
    while (await store.audit.seal(seals, 1_000) > 0);
    const { chains } = await verifyAudit(store.audit, seals, []);
    assert.deepEqual(chains.map(({ broken }) => broken), [null, null]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
