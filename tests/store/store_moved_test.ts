/** A store whose file is moved, removed, replaced or made read-only while berth runs: health says so, and no change is accepted and lost. */
import assert from "node:assert/strict";
import { startService, type TestService } from "../support/service.ts";
import { within } from "../support/within.ts";

const HEALTH_MS = 10_000;

const HARMS: readonly (readonly [what: string, harm: (data: string) => Promise<void>])[] = [
  ["its folder is renamed", (data) => Deno.rename(data, `${data}-elsewhere`)],
  ["its folder is deleted", (data) => Deno.remove(data, { recursive: true })],
  ["its file is deleted", (data) => Deno.remove(`${data}/berth.db`)],
  ["its write-ahead log is deleted", (data) => Deno.remove(`${data}/berth.db-wal`)],
  ["its file is made read-only", (data) => Deno.chmod(`${data}/berth.db`, 0o400)],
  ["its file is replaced by a copy", async (data) => {
    await Deno.copyFile(`${data}/berth.db`, `${data}/copy`);
    await Deno.rename(`${data}/copy`, `${data}/berth.db`);
  }],
];

for (const [what, harm] of HARMS) {
  Deno.test(`when ${what} under a running berth, health fails and changes are refused (F74)`, async () => {
    await using berth = await startService({ install: [] });
    const before = await keyCount(berth);
    await harm(`${berth.folder}/data`);

    const refused = await berth.call("POST /api/settings/api-keys", { name: "lost", role: "viewer" });

    assert.deepEqual([refused.status, refused.body.code], [503, "store_unavailable"]);
    const { checks } = await within(HEALTH_MS, "health fails", async () => {
      const { status, body } = await berth.call("GET /api/health");
      return status === 503 && body;
    });
    assert.equal(checks.store.status, "failed");
    assert.match(checks.store.reason, /moved, removed, replaced or made read-only/);
    const ready = await berth.anonymous().fetch("GET /api/health/ready");
    assert.deepEqual([ready.status, await ready.text()], [503, "store\n"]);
    assert.equal(await keyCount(berth), before);
  });
}

Deno.test("a store that is put back takes changes again (F74)", async () => {
  await using berth = await startService({ install: [] });
  const data = `${berth.folder}/data`;
  await Deno.rename(data, `${data}-elsewhere`);
  const route = "POST /api/settings/api-keys";
  assert.equal((await berth.call(route, { name: "early", role: "viewer" })).status, 503);

  await Deno.rename(`${data}-elsewhere`, data);

  assert.equal((await berth.call(route, { name: "late", role: "viewer" })).status, 201);
});

async function keyCount(berth: TestService): Promise<number> {
  const { status, body } = await berth.call("GET /api/settings/api-keys");
  assert.equal(status, 200);
  return body.total;
}
