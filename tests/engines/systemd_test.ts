/** Promises of the plugin `systemd`, with a program that stands in for systemctl where there is no systemd. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";

const UNITS = [
  {
    unit: "ssh.service",
    load: "loaded",
    active: "active",
    sub: "running",
    description: "OpenBSD Secure Shell",
  },
  { unit: "cron.service", load: "loaded", active: "failed", sub: "failed", description: "Regular tasks" },
];

/** A berth whose systemctl is a script with this body. */
async function withUnits(script: string, use: (berth: TestService, folder: string) => Promise<void>) {
  const folder = await Deno.makeTempDir({ prefix: "berth-units-" });
  try {
    const systemctl = `${folder}/systemctl`;
    await Deno.writeTextFile(systemctl, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    await using berth = await startService({
      plugins: ["systemd"],
      pluginSettings: { systemd: { systemctl, timeoutS: 1 } },
    });
    await use(berth, folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const answering = (text: string) => `cat <<'END'\n${text}\nEND`;

Deno.test("GET /api/units lists the units by name, filtered and limited", async () => {
  await withUnits(
    `echo "$@" > "$(dirname "$0")/args"\n${answering(JSON.stringify(UNITS))}`,
    async (berth, folder) => {
      const all = await berth.call("GET /api/units");
      const failed = await berth.call("GET /api/units?active=failed");
      const found = await berth.call("GET /api/units?q=secure");
      const first = await berth.call("GET /api/units?limit=1");

      assert.deepEqual(all.body, { items: [UNITS[1], UNITS[0]], total: 2 });
      assert.deepEqual(failed.body.items, [UNITS[1]]);
      assert.deepEqual(found.body.items, [UNITS[0]]);
      assert.deepEqual([first.body.items.length, first.body.total], [1, 2]);
      assert.equal((await berth.call("GET /api/units?limit=0")).status, 400);
      assert.equal(
        (await Deno.readTextFile(`${folder}/args`)).trim(),
        "list-units --all --full --no-pager --output json",
      );
    },
  );
});

Deno.test("GET /api/units shows and finds no secret of a command that systemd-run took for a description", async () => {
  const description = "[systemd-run] /usr/bin/mysqldump --password=canary db";
  const units = [{ unit: "run-1.service", load: "loaded", active: "active", sub: "running", description }];
  await withUnits(answering(JSON.stringify(units)), async (berth) => {
    const { body } = await berth.call("GET /api/units");
    assert.equal(body.items[0].description, "[systemd-run] /usr/bin/mysqldump --password=******** db");
    assert.deepEqual((await berth.call("GET /api/units?q=canary")).body.items, []);
  });
});

Deno.test("GET /api/units needs units:read, and is off unless the settings name the plugin", async () => {
  await withUnits(answering("[]"), async (berth) => {
    assert.equal((await (await berth.key("viewer")).call("GET /api/units")).status, 200);
    const other = await (await berth.key(["system:read"])).call("GET /api/units");
    assert.deepEqual([other.status, other.body.code], [403, "forbidden"]);
  });
  await using berth = await startService();
  const off = await berth.call("GET /api/units");
  assert.deepEqual([off.status, off.body.code], [404, "plugin_disabled"]);
});

for (
  const [what, script, why] of [
    ["fails", "exit 3", /exit code 3/],
    ["writes no list", answering("{}"), /did not answer a list/],
    ["writes without an end", "exec cat /dev/zero", /wrote more than/],
    ["takes too long", "sleep 30", /longer than 1 s/],
  ] as const
) {
  Deno.test(`GET /api/units answers 503 units_unavailable when systemctl ${what}`, async () => {
    await withUnits(script, async (berth) => {
      const { status, body } = await berth.call("GET /api/units");

      assert.deepEqual([status, body.code], [503, "units_unavailable"]);
      assert.match(body.title, why);
    });
  });
}

Deno.test("GET /api/units answers 503 where there is no systemctl", async () => {
  await using berth = await startService({
    plugins: ["systemd"],
    pluginSettings: { systemd: { systemctl: "/nowhere/systemctl" } },
  });

  const { status, body } = await berth.call("GET /api/units");
  assert.deepEqual([status, body.code], [503, "units_unavailable"]);
  assert.match(body.title, /not installed/);
});

Deno.test("a systemctl that runs is killed when berth stops, and all who ask share one run", async () => {
  const script = `echo $$ >> "$(dirname "$0")/pids"\nexec sleep 30`;
  const folder = await Deno.makeTempDir({ prefix: "berth-units-" });
  try {
    const systemctl = `${folder}/systemctl`;
    await Deno.writeTextFile(systemctl, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const berth = await startService({
      plugins: ["systemd"],
      pluginSettings: { systemd: { systemctl, timeoutS: 60 } },
    });
    const asked = Promise.allSettled([berth.call("GET /api/units"), berth.call("GET /api/units")]);
    const pids = await eventually("it runs", async () => {
      const text = await Deno.readTextFile(`${folder}/pids`).catch(() => "");
      return text === "" ? null : text.trim().split("\n");
    });
    await berth[Symbol.asyncDispose]();
    await asked;

    assert.equal(pids.length, 1);
    await eventually(
      "it is gone",
      async () => await Deno.stat(`/proc/${pids[0]}`).then(() => null, () => true),
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
