/** docs/access.md says what is so: its table, its settings, its requests. */
import assert from "node:assert/strict";
import { ROLES } from "../../core/access.ts";
import { permissionsOf } from "../support/catalogue.ts";
import { readConfig } from "../../config/config.ts";
import { ONE, SHOP_WEB, TWO, worldOf } from "../support/scoped_world.ts";
import { startService } from "../support/service.ts";

const page = await Deno.readTextFile(new URL("../../docs/access.md", import.meta.url));

Deno.test("docs/access.md lists exactly the permissions of each role", () => {
  const seen: string[] = [];
  for (const role of ROLES) {
    const row = new RegExp(`^\\| \`${role}\` +\\| (.*) \\|$`, "m").exec(page)?.[1] ?? assert.fail(role);
    seen.push(...[...row.matchAll(/`([\w:-]+)`/g)].map((one) => one[1] ?? ""));
    assert.deepEqual([...seen].sort(), [...permissionsOf(role)].sort());
  }
});

Deno.test("docs/access.md shows settings of an identity provider that berth reads without a mistake", async () => {
  const block = /^```yaml\n(identityProvider:[\s\S]*?)^```$/m.exec(page)?.[1] ?? assert.fail("it shows none");
  const file = await Deno.makeTempFile({ suffix: ".yaml" });
  await Deno.writeTextFile(file, block);
  const config = await readConfig({
    env: (name) => ({ HOME: "/home/ada", BERTH_CONFIG: file })[name],
  });
  await Deno.remove(file);
  assert.equal(config.identityProvider?.clientId, "berth");
  assert.deepEqual(config.roles.map(({ claim, role }) => [claim, role]), [
    ["email", "admin"],
    ["groups", "operator"],
    ["groups", "viewer"],
  ]);
});

const TOOLS = ["bash", "curl", "jq"];

async function missingTools(): Promise<string[]> {
  const found = await Promise.all(TOOLS.map(async (tool) => {
    const run = new Deno.Command(tool, { args: ["--version"], stdout: "null", stderr: "null" });
    return await run.output().then(() => null, () => tool);
  }));
  return found.filter((tool) => tool !== null);
}

Deno.test("docs/access.md, followed command by command in a shell, makes people and keys, and each answers as shown", async () => {
  const missing = await missingTools();
  if (missing.length > 0) {
    console.log(
      `SKIPPED: no ${missing.join(" and no ")} here, so the commands of docs/access.md were not followed`,
    );
    return;
  }
  await using stack = new AsyncDisposableStack();
  const restarted: string[] = [];
  const engines = Object.entries({ one: ONE, two: TWO }).map(([name, has]) => {
    const engine = stack.use(worldOf(has));
    const { override } = engine.world;
    engine.world.override = (request, path) => {
      if (request.method !== "POST") return override?.(request, path);
      restarted.push(path);
      return new Response(null, { status: 204 });
    };
    return { name, url: `unix://${engine.socket}` };
  });
  const berth = stack.use(await startService({ setup: false, engines }));
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((one) => one[1] ?? "")
    .filter((block) => block.includes("$BERTH/api"));
  const script = `set -e
curl() { command curl "$@" -w '%{stderr}%{http_code} %{url_effective}\\n'; }
${blocks.join("\n").replace(/^BERTH=.*$/m, `BERTH=${berth.url}`)}`;
  const { code, stderr } = await new Deno.Command("bash", {
    args: ["-c", script],
    env: { BERTH_DATA: `${berth.folder}/data` },
    stdout: "null",
  }).output();
  const said = new TextDecoder().decode(stderr);
  assert.equal(code, 0, said);
  const statuses = said.trim().split("\n").map((line) => Number(line.split(" ")[0]));
  const shown = [...page.matchAll(/\bcurl -sS(?:.*\\\n)*.*/g)].map(([command]) =>
    Number(/# (\d{3})\b/.exec(command)?.[1] ?? 200)
  );
  assert.deepEqual(statuses.map((status) => status >= 200 && status <= 204 ? 200 : status), shown, said);
  assert.deepEqual(shown.filter((status) => status !== 200), [404, 404, 403, 403]);
  assert.deepEqual(restarted, [`/containers/${SHOP_WEB.id}/restart`]);

  // The people and keys of the page are there: Ada an admin, Bob known and disabled, Cleo, two keys left of three.
  const token = (await berth.anonymous().call("POST /api/auth/password", {
    name: "Ada",
    password: "correct horse battery",
  })).body.accessToken;
  const people = await berth.as(token).call("GET /api/settings/people");
  assert.deepEqual(
    people.body.items.map((one: Record<string, unknown>) => [one["name"], one["role"], one["disabled"]]),
    [["ada", "admin", false], ["bob", "operator", true], ["cleo", null, false]],
  );
  const keys = await berth.as(token).call("GET /api/settings/api-keys");
  assert.deepEqual(keys.body.items.map((one: { name: string }) => one.name), ["restarter", "shop"]);

  // Cleo sees what is of her project, and nothing else.
  const cleos = (await berth.anonymous().call("POST /api/auth/password", {
    name: "cleo",
    password: "a secret of her own",
  })).body.accessToken;
  const { body } = await berth.as(cleos).call("GET /api/containers");
  assert.deepEqual(
    body.items.map(({ name }: { name: string }) => name).sort(),
    ["shop-db", "shop-far", "shop-web"],
  );
});
