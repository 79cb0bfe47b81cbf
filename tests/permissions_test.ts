/** Promise: berth runs on the few permissions that docs/hardening.md names, and does its work on them (R61). */
import assert from "node:assert/strict";
import { startBerthProcess } from "./berth_process.ts";
import { TestCaller } from "./service.ts";
import { freePort } from "./free_port.ts";

const PAGE = new URL("../docs/hardening.md", import.meta.url);
const PROGRAM = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

/** The flags of the page's own command, with this test's port and folders in their places. */
async function documentedFlags(places: Readonly<Record<string, string>>): Promise<string[]> {
  const command = /deno run (--no-prompt [\s\S]+?) main\.ts/.exec(await Deno.readTextFile(PAGE))?.[1] ?? "";
  return command.split(/[\s\\]+/).map((flag) =>
    flag.replaceAll("'", "").replace(/\b(?:PORT|DATA|ROOTS|PROGRAM)\b/g, (name) => places[name] ?? name)
  );
}

Deno.test("berth serves on the permissions that docs/hardening.md names: setup, workspaces, logs, the API document", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-permissions-" }));
  try {
    const [data, roots] = [`${folder}/data`, `${folder}/roots`];
    await Deno.mkdir(`${roots}/shop`, { recursive: true });
    await Deno.mkdir(data);
    await Deno.writeTextFile(`${roots}/shop/compose.yaml`, "services:\n  web:\n    image: nginx\n");
    const port = freePort();
    const permissions = await documentedFlags({ PORT: String(port), DATA: data, ROOTS: roots, PROGRAM });
    assert.ok(permissions.length >= 6 && !permissions.includes("-A"), permissions.join(" "));
    await using berth = await startBerthProcess({
      data,
      permissions,
      env: { BERTH_PORT: String(port), BERTH_ROOTS: roots },
    });
    const token = (await Deno.readTextFile(`${data}/setup-token`)).trim();
    const { body: { key } } = await new TestCaller(berth.url, null)
      .call("POST /api/settings/setup", { token, name: "me" });
    const admin = new TestCaller(berth.url, key);

    const registered = await admin.call("POST /api/workspaces", { path: `${roots}/shop` });
    assert.equal(registered.status, 201, registered.text);
    const statuses = await Promise.all([
      "GET /api/health",
      "GET /api/system/info",
      "GET /api/system/logs",
      "GET /api/openapi.json",
      "GET /api/docs",
      `GET /api/workspaces/${registered.body.id}/artifacts/dag`,
      `POST /api/workspaces/${registered.body.id}/artifacts/validate`,
    ].map(async (route) => [route, (await admin.call(route)).status]));
    for (const [route, status] of statuses) assert.equal(status, 200, String(route));
    const refused = await admin.call("POST /api/workspaces", { path: "/etc" });
    assert.equal(refused.status, 403);
    assert.doesNotMatch(berth.stderr, /NotCapable/);
    assert.equal((await berth.end()).code, 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
