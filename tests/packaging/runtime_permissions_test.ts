/** Deno's own permissions: an engine that berth may not open is refused by itself, and one it may needs no more than said. */
import assert from "node:assert/strict";
import { containerRuntime } from "../../plugins/containers/plugin.ts";
import { ScriptedWorld } from "../support/scripted_world.ts";

const PROBE = `
import { Backends } from "${new URL("../../engines/links/backends.ts", import.meta.url)}";
import { SILENT } from "${new URL("../support/silent_log.ts", import.meta.url)}";
const engines = ["allowed", "closed"].map((name, index) => (
  { name, guess: "docker", address: { kind: "unix", path: Deno.args[index] } }
));
await using backends = Backends.configured(engines, SILENT);
await backends.settle();
console.log(JSON.stringify(backends.report()));
`;

Deno.test("Backends works on the permissions that the plugin declares, and goes on without those it lacks", async () => {
  await using allowed = new ScriptedWorld({});
  await using closed = new ScriptedWorld({});
  const config = containerRuntime.settings.parse({
    engines: [{ name: "allowed", url: `unix://${allowed.socket}` }],
  });
  const flags = containerRuntime.needs(config).map((one) =>
    "path" in one ? `--allow-${one.name}=${one.path}` : "host" in one ? `--allow-net=${one.host}` : ""
  );
  const script = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(script, PROBE);

  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-check",
      `--config=${new URL("../../deno.json", import.meta.url).pathname}`,
      ...flags,
      script,
      allowed.socket,
      closed.socket,
    ],
  }).output();
  await Deno.remove(script);

  const text = new TextDecoder().decode(stdout);
  assert.notEqual(text, "", new TextDecoder().decode(stderr));
  const [one, other] = JSON.parse(text);
  assert.deepEqual([one.name, one.state], ["allowed", "up"]);
  assert.deepEqual([other.name, other.state], ["closed", "refused"]);
  assert.match(other.reason, /permission/);
  assert.deepEqual(closed.calls, []);
});
