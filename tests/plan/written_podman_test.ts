/** Containers of Podman's own client, which can say what Compose cannot ask it for. */
import assert from "node:assert/strict";
import { composeOfToday } from "../support/compose.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { Scene } from "./field_scene.ts";
import { madeAgain } from "./made_again.ts";
import { written } from "./written_project.ts";

const { test } = await lawEngine("podman");

/** Settings that Podman has of its own client and Compose asks in another way for, with the keys that say them. */
const OWN: Readonly<Record<string, { readonly flags: readonly string[]; readonly key: string }>> = {
  names: { flags: ["--uts", "host"], key: "uts: host" },
  period: { flags: ["--cpu-period", "50000"], key: "cpu_period: 50000" },
  quota: { flags: ["--cpu-quota", "50000"], key: "cpu_quota: 50000" },
  swappy: { flags: ["--memory-swappiness", "40"], key: "mem_swappiness: 40" },
  reads: { flags: ["--device-read-bps", "/dev/null:1mb"], key: "device_read_bps:" },
  weights: { flags: ["--blkio-weight-device", "/dev/null:200"], key: "weight_device:" },
  mighty: { flags: ["--privileged"], key: "privileged: true" },
};

async function podman({ socket }: TestEngine, ...args: string[]): Promise<void> {
  const words = ["--url", `unix://${socket}`, ...args];
  const { success, stderr } = await new Deno.Command("podman", { args: words }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

test(
  "what Podman's own client makes is written down, and Compose makes the same of it",
  async (engine) => {
    await using scene = new Scene(engine);
    try {
      for (const [name, { flags }] of Object.entries(OWN)) {
        await podman(engine, "create", "--name", name, ...flags, FIXTURE, "idle");
      }
      const { files, wrong } = await madeAgain(engine, scene, "own");
      assert.deepEqual(wrong, []);
      const text = files.get("compose.yaml")!;
      for (const { key } of Object.values(OWN)) assert.ok(text.includes(key), `${key}\n${text}`);
      assert.doesNotMatch(text, /cpus/, "beside a quota it is refused");
    } finally {
      for (const { id } of await scene.all()) await engine.ask(`DELETE /containers/${id}?force=1&v=1`);
    }
  },
  composeOfToday.missing,
);

test("a container in a pod is refused, for no Compose file can say that", async (engine) => {
  await using scene = new Scene(engine);
  await podman(engine, "create", "--pod", "new:writing", "--name", "podded", FIXTURE, "idle");
  try {
    const containers = (await scene.all()).filter(({ name }) => name === "podded");
    const { refused, services } = await written(engine, "alone", containers, await scene.bare());
    assert.deepEqual(refused, [{
      container: "podded",
      why: "it is in a pod, which no Compose file can declare",
    }]);
    assert.equal(services.size, 0);
  } finally {
    await podman(engine, "pod", "rm", "--force", "writing");
  }
});
