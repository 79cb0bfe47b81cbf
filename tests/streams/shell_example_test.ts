/** The script of `docs/streams.md`: a shell with an editor in it as a newcomer would hold it, and a command in a pipe. */
import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";

const hasScript = await new Deno.Command("script", { args: ["--version"], stdout: "null", stderr: "null" })
  .output().then(({ success }) => success, () => false);
const SHELL = ["run", "-A", "--no-check", new URL("../../docs/shell.ts", import.meta.url).pathname];

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("docs/shell.ts holds a shell with an editor in it, and ends with its exit code", async (engine) => {
    await using berth = await startService({ engines: [{ name: kind, url: `unix://${engine.socket}` }] });
    await eventually("the engine is up", async () => {
      return (await berth.call("GET /api/system/backends")).body.items[0].state === "up";
    });
    await engine.cli("run", "-d", "--name", "poet", FIXTURE);
    const child = new Deno.Command("script", { // which gives it a terminal
      args: ["-qec", `stty cols 80 rows 24; ${Deno.execPath()} ${[...SHELL, "poet"].join(" ")}`, "/dev/null"],
      env: { BERTH_URL: berth.url, BERTH_KEY: berth.credential ?? "" },
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    let seen = "";
    const reading = (async () => {
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) seen += text;
    })();
    const keys = child.stdin.getWriter();
    const type = async (text: string, until: string) => {
      await keys.write(new TextEncoder().encode(text));
      await eventually(`"${until}" is shown`, () => seen.includes(until));
    };
    await type("", "# ");
    await type("vi /tmp/poem\n", "\x1b[?1049h"); // the editor has the whole screen
    // The dash: keys that follow the escape key too soon would be taken for one key with it
    await type("iroses are red\rviolets are blue\x1b", "- /tmp/poem [Modified]");
    await type(":wq\r", "\x1b[?1049l");
    await type("wc -l < /tmp/poem; exit 3\n", "\n2\r");
    const { code } = await child.status;
    await reading;
    await keys.close().catch(() => {}); // its reader has gone
    assert.equal(code, 3);
    assert.equal(await engine.cli("exec", "poet", "cat", "/tmp/poem"), "roses are red\nviolets are blue");
    await engine.cli("rm", "-f", "poet");
  }, hasScript ? null : 'the command "script" is missing');

  test("docs/shell.ts works in a pipe: what goes in comes out as it is, until its end", async (engine) => {
    await using berth = await startService({ engines: [{ name: kind, url: `unix://${engine.socket}` }] });
    await eventually("the engine is up", async () => {
      return (await berth.call("GET /api/system/backends")).body.items[0].state === "up";
    });
    await engine.cli("run", "-d", "--name", "pipe", FIXTURE);
    const child = new Deno.Command(Deno.execPath(), {
      args: [...SHELL, "pipe", "cat"],
      env: { BERTH_URL: berth.url, BERTH_KEY: berth.credential ?? "" },
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
      signal: AbortSignal.timeout(60_000),
    }).spawn();
    const keys = child.stdin.getWriter();
    await keys.write(new TextEncoder().encode("hi\n"));
    await keys.close();
    const { code, stdout } = await child.output();
    assert.deepEqual([code, new TextDecoder().decode(stdout)], [0, "hi\n"]);
    await engine.cli("rm", "-f", "pipe");
  });
}
