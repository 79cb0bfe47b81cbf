/** Promise: berth runs on the few permissions that docs/hardening.md names, and does its work on them (R61). */
import assert from "node:assert/strict";
import { startBerthProcess } from "../support/berth_process.ts";
import { TestCaller } from "../support/service.ts";
import { freePort } from "../support/free_port.ts";

const PAGE = new URL("../../docs/hardening.md", import.meta.url);
const PROGRAM = new URL("../../", import.meta.url).pathname.replace(/\/$/, "");

/** The flags of the page's own command, with this test's port and folders in their places. */
async function documentedFlags(places: Readonly<Record<string, string>>): Promise<string[]> {
  const command = /deno run (--no-prompt [\s\S]+?) main\.ts/.exec(await Deno.readTextFile(PAGE))?.[1] ?? "";
  return command.split(/[\s\\]+/).map((flag) =>
    flag.replaceAll("'", "").replace(/\b(?:PORT|DATA|ROOTS|PROGRAM)\b/g, (name) => places[name] ?? name)
  );
}

Deno.test("berth serves on the permissions that docs/hardening.md names: setup, workspaces, logs, the API document (R61)", async () => {
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

/** Tries one act after the other, and says which the runtime refused. */
const PROBE = `
const acts = {
  "read a file of the machine": () => Deno.readTextFile("/etc/shadow"),
  "read a file of its user": () => Deno.readTextFile(Deno.args[0]),
  "list the root": async () => { for await (const _ of Deno.readDir("/")); },
  "write beside its data": () => Deno.writeTextFile(Deno.args[1] + ".new", "x"),
  "write into a workspace": () => Deno.writeTextFile(Deno.args[1] + "/roots/shop/new", "x"),
  "make a link": () => Deno.symlink("/etc", Deno.args[1] + "/link"),
  "run a program": () => new Deno.Command("true").output(),
  "run a shell": () => new Deno.Command("/bin/sh", { args: ["-c", "true"] }).output(),
  "call another host": () => fetch("http://192.0.2.7/"),
  "call its neighbour": () => Deno.connect({ hostname: "127.0.0.1", port: 1 }),
  "listen on another port": () => Deno.listen({ port: 0 }).close(),
  "load a library": () => Deno.dlopen("/lib/x86_64-linux-gnu/libc.so.6", {}),
  "read a foreign variable": () => {
    // It is there, and not seen
    if (Deno.env.get("FOREIGN_SECRET") === undefined) throw new Deno.errors.NotCapable();
  },
  "end another process": () => Deno.kill(1, "SIGCONT"),
};
for (const [act, work] of Object.entries(acts)) {
  let outcome = "done";
  try {
    await work();
  } catch (error) {
    outcome = error instanceof Deno.errors.NotCapable ? "refused" : String(error);
  }
  console.log(outcome + ": " + act);
}
`;

Deno.test("what docs/hardening.md does not allow is refused by the runtime, act by act (R61)", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-permissions-" }));
  try {
    await Deno.mkdir(`${folder}/roots/shop`, { recursive: true });
    await Deno.mkdir(`${folder}/data`);
    await Deno.writeTextFile(`${folder}/secret`, "x");
    await Deno.writeTextFile(`${folder}/probe.ts`, PROBE);
    const places = { PORT: String(freePort()), DATA: `${folder}/data`, ROOTS: `${folder}/roots`, PROGRAM };
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", ...await documentedFlags(places), "--no-check"],
        ...[`${folder}/probe.ts`, `${folder}/secret`, folder],
      ],
      env: { FOREIGN_SECRET: "x" },
    }).output();
    const lines = new TextDecoder().decode(stdout).trim().split("\n");
    assert.equal(lines.length, 14, new TextDecoder().decode(stderr));
    assert.deepEqual(lines.filter((line) => !line.startsWith("refused: ")), []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
