/** Which container berth runs in, told from what real engines mount. */
import assert from "node:assert/strict";
import { containerIn } from "../../projects/plan/self.ts";
import { FIXTURE } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("A process in a container finds its own id, and one on the host finds none beside shared memory", async (engine) => {
    const id = (await engine.cli("run", "-d", "--ipc", "shareable", FIXTURE, "idle")).trim();
    const folder = await Deno.makeTempDir({ prefix: "bm" });
    try {
      const pid = Number((await engine.cli("inspect", "-f", "{{.State.Pid}}", id)).trim());
      const read = async (process: string) => {
        const answer = await engine.sandbox?.run(`cat /proc/${process}/mountinfo >${folder}/${process}`);
        assert.equal(answer, 0);
        return await Deno.readTextFile(`${folder}/${process}`);
      };
      const [inside, host] = [await read(String(pid)), await read("self")];
      assert.equal(containerIn(inside), id);
      assert.ok(host.includes(id), `the host lists mounts of the container:\n${host}`);
      assert.equal(containerIn(host), null);
    } finally {
      await engine.cli("rm", "-f", id);
      await Deno.remove(folder, { recursive: true });
    }
  });
}
