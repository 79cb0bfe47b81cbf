/** Two definitions of a service, field by field. */
import assert from "node:assert/strict";
import { compareSpecs } from "./compare_specs.ts";

const running = (Command: readonly string[], Args: readonly string[]) => ({
  TaskTemplate: { ContainerSpec: { Command, Args } },
});

Deno.test("each of two commands is masked by its own program", () => {
  const changes = compareSpecs(
    running(["mysql"], ["-pcanary1"]),
    running(["redis-cli"], ["-a", "canary2"]),
    () => null,
  );
  const command = changes.find(({ field }) => field === "command");
  assert.deepEqual([command?.declared, command?.actual], ["-p********", "-a ********"]);
});

Deno.test("an image without a tag is its latest, which a swarm writes down when it pins it", () => {
  const image = (Image: string) => ({ TaskTemplate: { ContainerSpec: { Image } } });
  const changes = (declared: string, actual: string) =>
    compareSpecs(image(declared), image(actual), () => null);
  assert.deepEqual(changes("lan:5000/web", `lan:5000/web:latest@sha256:${"0".repeat(64)}`), []);
  assert.equal(changes("lan:5000/web", "lan:5000/web:2").length, 1);
  const digest = (of: string) => `sha256:${of.repeat(64)}`;
  const pinned = (of: string, tag = "") => `lan:5000/web${tag}@${digest(of)}`;
  assert.deepEqual(changes(pinned("1"), pinned("1", ":latest")), []);
  assert.deepEqual(changes(pinned("1", ":2"), pinned("0", ":2")), [{
    field: "image",
    declared: pinned("1", ":2"),
    actual: pinned("0", ":2"),
    isAbsent: false,
  }], "another digest is another image");
  assert.equal(changes(pinned("1", ":2"), "lan:5000/web:2").length, 1, "nothing says that it is this digest");
});

Deno.test("The platforms that Docker's client wrote down are no difference", () => {
  const spec = (Placement: unknown) => ({ TaskTemplate: { Placement } });
  const Platforms = [{ Architecture: "amd64", OS: "linux" }];
  assert.deepEqual(compareSpecs(spec({}), spec({ Platforms }), () => null), []);
});

Deno.test("No option of a driver and no sysctl whose name tells of a secret is shown", () => {
  const spec = (word: string) => ({
    TaskTemplate: {
      ContainerSpec: {
        Sysctls: { "net.secret": word },
        Mounts: [{ Target: "/data", VolumeOptions: { DriverConfig: { Options: { pwd: word, size: "1" } } } }],
      },
      Networks: [{ Target: "a", DriverOpts: { "vpn.auth": word } }],
    },
  });
  const changes = compareSpecs(spec("canary1"), spec('canary"2'), () => "a");
  assert.deepEqual(changes.map(({ field }) => field), ["mounts./data", "networks.a", "sysctls.net.secret"]);
  assert.doesNotMatch(JSON.stringify(changes), /canary/);
  assert.match(JSON.stringify(changes), /size/);
});
