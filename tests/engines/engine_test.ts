/** The engines that tests stand on: really there, really private, really gone afterwards. */

import assert from "node:assert/strict";
import { FIXTURE, startEngine } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("startEngine answers with an engine that runs its fixture image", async (engine) => {
    assert.equal(await engine.cli("run", "--rm", FIXTURE, "echo", "hello"), "hello");
    assert.match((await engine.ask("GET /version")).json.ApiVersion, /^1\.\d+$/);
  });

  test("startEngine gives containers a network and a published port", async (engine) => {
    await engine.cli(
      "run",
      "-d",
      "--name",
      "web",
      "-p",
      "8080:80",
      FIXTURE,
      "httpd",
      "-f",
      "-p",
      "80",
      "-h",
      "/etc",
    );
    if (engine.sandbox) {
      const sandbox = engine.sandbox;
      await eventually(
        "the port answers",
        async () =>
          await sandbox.run("busybox wget -q -O /dev/null http://127.0.0.1:8080/passwd 2>/dev/null") === 0,
      );
    }
    await engine.cli("rm", "-f", "web");
  });

  test("the fixture's idle container stops at once", async (engine) => {
    await engine.cli("run", "-d", "--name", "calm", FIXTURE);
    // Process 1 ignores every signal that it does not catch yet.
    await eventually("it catches SIGTERM", async () => {
      const caught = /SigCgt:\s*([0-9a-f]+)/.exec(await engine.cli("exec", "calm", "cat", "/proc/1/status"));
      return (BigInt(`0x${caught?.[1] ?? "0"}`) & 0x4000n) !== 0n;
    });
    await engine.cli("stop", "-t", "60", "calm");
    assert.equal((await engine.ask("GET /containers/calm/json")).json.State.ExitCode, 0);
    await engine.cli("rm", "calm");
  });

  test("disposing an engine leaves neither folder nor mount nor cgroup", async (shared) => {
    if (!shared.sandbox) return;
    await using engine = await startEngine(kind);
    const folder = engine.socket.slice(0, engine.socket.lastIndexOf("/"));
    const id = await engine.cli("run", "-d", FIXTURE);

    await engine[Symbol.asyncDispose]();

    await assert.rejects(Deno.stat(folder), Deno.errors.NotFound);
    assert(!(await Deno.readTextFile("/proc/self/mountinfo")).includes(folder));
    const groups = await new Deno.Command("find", { args: ["/sys/fs/cgroup", "-name", `*${id}*`] }).output();
    assert.equal(new TextDecoder().decode(groups.stdout), "");
  });

  test("disposing an engine ends its paused containers too", async (shared) => {
    if (!shared.sandbox) return;
    await using engine = await startEngine(kind);
    const id = await engine.cli("run", "-d", FIXTURE);
    await engine.cli("pause", id);

    await engine[Symbol.asyncDispose]();

    const groups = await new Deno.Command("find", { args: ["/sys/fs/cgroup", "-name", `*${id}*`] }).output();
    assert.equal(new TextDecoder().decode(groups.stdout), "");
  });

  test("kill and start bring the same engine back with its containers' records", async (shared) => {
    if (!shared.sandbox) return;
    await using engine = await startEngine(kind);
    await engine.cli("create", "--name", "kept", FIXTURE);

    await engine.kill();
    await assert.rejects(engine.ask("GET /_ping"));
    await engine.start();

    assert.equal((await engine.ask("GET /containers/kept/json")).status, 200);
  });
}
