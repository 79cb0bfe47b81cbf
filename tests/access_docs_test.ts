/** docs/access.md says what is so: its table, its settings, its requests. */
import assert from "node:assert/strict";
import { ROLES } from "../core/access.ts";
import { permissionsOf } from "./catalogue.ts";
import { readConfig } from "../config.ts";
import { startService } from "./service.ts";

const page = await Deno.readTextFile(new URL("../docs/access.md", import.meta.url));

Deno.test("docs/access.md lists exactly the permissions of each role", () => {
  const seen: string[] = [];
  for (const role of ROLES) {
    const row = new RegExp(`^\\| \`${role}\` +\\| (.*) \\|$`, "m").exec(page)?.[1] ?? assert.fail(role);
    seen.push(...[...row.matchAll(/`([\w:-]+)`/g)].map((one) => one[1] ?? ""));
    assert.deepEqual([...seen].sort(), [...permissionsOf(role)].sort());
  }
});

Deno.test("docs/access.md shows settings of an identity provider that berth reads without a mistake", async () => {
  const shown = new Map([...page.matchAll(/^export (\w+)='?([^\s'#]+)'?/gm)].map((one) => [one[1], one[2]]));
  assert.equal(shown.size, 5);
  const config = await readConfig({ env: (name) => name === "HOME" ? "/home/ada" : shown.get(name) });
  assert.equal(config.identityProvider?.clientId, "berth");
  assert.deepEqual(config.roles.map(({ claim, role }) => [claim, role]), [
    ["email", "admin"],
    ["groups", "operator"],
    ["groups", "viewer"],
  ]);
});

Deno.test("docs/access.md shows requests that work as they stand", async () => {
  await using berth = await startService({ setup: false });
  const commands = page.replace(/\\\n +/g, "").matchAll(/^curl (.*)$/gm);
  const key: { value: string | null } = { value: null };
  const statuses: number[] = [];
  for (const [, command = ""] of commands) {
    const path = /\$BERTH(\S+)/.exec(command)?.[1] ?? assert.fail(command);
    const sent = /-d (["'])(.*)\1/.exec(command)?.[2];
    const body = sent?.replace(/\\"/g, '"').replace(/\$\(cat .*?\)/, berth.berth.access.setupToken ?? "");
    const method = command.includes("-X DELETE") ? "DELETE" : body === undefined ? "GET" : "POST";
    const caller = command.includes("Bearer $KEY") ? berth.as(key.value ?? "") : berth.anonymous();
    const answer = await caller.call(`${method} ${path}`, body);
    statuses.push(answer.status);
    key.value ??= answer.body.key;
  }
  // The key to delete and the key to verify are only placeholders on the page.
  assert.deepEqual(statuses, [201, 201, 201, 200, 404, 200]);
});
