import assert from "node:assert/strict";
import { engineError } from "../../../engines/calls/errors.ts";
import type { Link } from "../../../engines/links/link.ts";
import type { RunningServices } from "../../../core/running_services.ts";
import { namedByServices } from "./named_by_services.ts";

const DIGEST = `sha256:${"0".repeat(64)}`;
const IMAGE = `nginx:1.27@${DIGEST}`;

const definition = (volume: string, Image = IMAGE) => ({
  TaskTemplate: { ContainerSpec: { Image, Mounts: [{ Type: "volume", Source: volume, Target: "/d" }] } },
});

interface Scene {
  readonly isManager?: boolean;
  readonly hasLeader?: boolean;
  readonly state?: string;
  /** The swarm that its networks belong to; null while they are not listed. */
  readonly scope?: string | null;
  readonly volume?: string;
}

function linkOf(
  { isManager = true, hasLeader = true, state = "active", scope = "swarm", volume = "data" }: Scene,
): Link {
  return {
    name: "one",
    engine: {
      get: ({ text }: { readonly text: string }) => {
        if (text === "/info") {
          return Promise.resolve({ Swarm: { LocalNodeState: state, ControlAvailable: isManager } });
        }
        if (!hasLeader) return Promise.reject(engineError("runtime_unavailable", "It has no leader"));
        return Promise.resolve([
          { ID: "s", Spec: definition(volume), PreviousSpec: definition("old", "a") },
        ]);
      },
    },
    mirror: { networks: { rows: new Map([["n", { scope }]]), known: scope !== null, problem: null } },
  } as unknown as Link; // as far as it is asked
}

const services = (staleSince: string | null, engines = ["one"]) => (): RunningServices => ({
  revision: 1,
  items: [{
    service: { staleSince },
    definition: { image: IMAGE, mounts: [{ type: "volume", source: "data" }] },
    before: { image: "a", volumes: ["old"] },
    engines,
  }],
  clusters: [{ name: "c", engines, nodes: 2 }],
} as unknown as RunningServices); // as above

Deno.test("A volume or image that a service without a container names is told, and everything while nobody tells the services", async () => {
  const named = async (scene: Scene, known: Parameters<typeof namedByServices>[1] = {}) => {
    const found = await namedByServices(linkOf(scene), known);
    return [...["data", "old", "loose"].map((one) => found.volume(one)), found.image(["other:1"])];
  };
  assert.deepEqual(await named({}), [true, true, false, false], "a manager says itself, also of a rollback");
  const worker = { isManager: false };
  const ofWorker = await named(worker, { services: services(null) });
  assert.deepEqual(ofWorker, [true, true, false, false], "a worker's managers have told the same");
  const anything = [true, true, true, true];
  assert.deepEqual(await named(worker, { services: services("2026-01-01") }), anything, "old news");
  assert.deepEqual(await named(worker, { services: services(null, ["two"]) }), anything, "another swarm");
  const swarmsRead = () => Promise.resolve(false);
  assert.deepEqual(await named(worker, { services: services(null), swarmsRead }), anything, "not read yet");
  assert.deepEqual(await named(worker), anything, "nobody reads swarms");
  assert.deepEqual(await named({ hasLeader: false }), anything);
  assert.deepEqual(await named({ scope: null, isManager: false }), anything, "networks are not listed");
  const nothing = [false, false, false, false];
  assert.deepEqual(await named({ scope: "local" }), nothing, "in no swarm");
  assert.deepEqual(await named({ state: "inactive" }), nothing, "it has left");

  const { image } = await namedByServices(linkOf({}), {});
  assert.equal(image(["nginx:1.27"]), true);
  assert.equal(image([`nginx@${DIGEST}`]), true, "pulled by its digest, without a tag");
  assert.equal(image(["docker.io/library/nginx:1.27"]), true);
  assert.equal(image(["a:latest"]), true, "of the definition before");
  assert.equal(image(["nginx:1.28"]), false);
});

Deno.test("A volume is told whose name a service makes from a template", async () => {
  const isTold = async (volume: string, name: string) =>
    (await namedByServices(linkOf({ volume }), {})).volume(name);
  for (
    const source of ["db-{{.Task.Slot}}-x", "db {{- .Task.Slot -}} -x", '{{"}}"}}-x', "db-{{if .Node.ID}}"]
  ) {
    assert.equal(await isTold(source, "db-1-x"), true, source);
    assert.equal(await isTold(source, "other"), false, source);
  }
  assert.equal(await isTold("db{{.Task.Slot}}b", "db"), false, "the letter that both would share");
  assert.equal(await isTold("db{{.Task.Slot}}", "db"), true, "a template may write nothing");
});
