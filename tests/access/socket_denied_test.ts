/** A socket that belongs to somebody else: root may do anything, so the check runs without that one capability. */
import assert from "node:assert/strict";
import { ScriptedWorld } from "../support/scripted_world.ts";

/** Reports an engine as a process sees it that may not pass over file permissions. */
const PROBE = `
import { Backends } from "${new URL("../../engines/links/backends.ts", import.meta.url)}";
import { SILENT } from "${new URL("../support/silent_log.ts", import.meta.url)}";
const address = { kind: "unix", path: Deno.args[0] };
await using backends = Backends.configured([{ name: "denied", guess: "docker", address }], SILENT);
await backends.settle();
console.log(JSON.stringify({ backends: backends.report(), ...await backends.fresh("containers") }));
`;

const WITHOUT = "-dac_override,-dac_read_search";

async function isPossible(): Promise<boolean> {
  try {
    const trial = new Deno.Command("setpriv", {
      args: [`--bounding-set=${WITHOUT}`, `--inh-caps=${WITHOUT}`, "true"],
    });
    return Deno.uid() === 0 && (await trial.output()).success;
  } catch {
    return false;
  }
}

const possible = await isPossible();
if (!possible) console.error("NOT RUN: a socket that may not be opened, because that takes root and setpriv");

Deno.test({
  name: "an engine whose socket may not be opened is refused with advice, and the rest goes on (F12)",
  ignore: !possible,
  async fn() {
    await using engine = new ScriptedWorld({});
    await Deno.chown(engine.socket, 65534, 65534);
    await Deno.chmod(engine.socket, 0o600);
    const script = await Deno.makeTempFile({ suffix: ".ts" });
    await Deno.writeTextFile(script, PROBE);

    const { stdout, stderr } = await new Deno.Command("setpriv", {
      args: [
        `--bounding-set=${WITHOUT}`,
        `--inh-caps=${WITHOUT}`,
        Deno.execPath(),
        "run",
        "-A",
        "--no-check",
        `--config=${new URL("../../deno.json", import.meta.url).pathname}`,
        script,
        engine.socket,
      ],
    }).output();
    await Deno.remove(script);

    const text = new TextDecoder().decode(stdout);
    assert.notEqual(text, "", new TextDecoder().decode(stderr));
    const { backends, up, unavailable } = JSON.parse(text);
    assert.equal(backends[0].state, "refused");
    assert.match(backends[0].reason, /may not open its socket.*group/);
    assert.deepEqual([up, unavailable[0].backend], [[], "denied"]);
    assert.deepEqual(engine.calls, []);
  },
});
