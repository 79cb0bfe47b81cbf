/** Networks and volumes of a plan: those that their file defines anew, and who is in the way. */
import assert from "node:assert/strict";
import type { Group, Resource, Unit } from "../../artifacts/artifact.ts";
import type { HeldNetwork, HeldVolume } from "../../core/held_objects.ts";
import { workspaceFolder } from "../../tests/support/workspace_folder.ts";
import { resourceLabels } from "../hash/resource_labels.ts";
import { Draft } from "./draft.ts";
import { linksOf } from "./order.ts";
import type { PlanRequest } from "./plan_shape.ts";
import { Resources } from "./resources.ts";
import type { Scene } from "./scene.ts";
import { planUp } from "./up.ts";

const RANGE = "ipam: { config: [{ subnet: 10.9.0.0/24, gateway: 10.9.0.1 }] }";
const BEFORE = `services: { web: { image: a, networks: [lan], volumes: ["data:/data"] } }
networks: { lan: { driver_opts: { mtu: "1400" }, ${RANGE} } }
volumes: { data: { driver_opts: { type: tmpfs, device: tmpfs } } }
`;

/** Plans what `web` needs by a text, where its network and volume were made of `BEFORE`. */
async function planned(
  text: string,
  { users = [], orphans = "keep", told = {} }: {
    readonly users?: HeldNetwork["users"];
    readonly orphans?: "keep" | "remove";
    readonly told?: Partial<Scene>;
  } = {},
) {
  const read = async (written: string) => {
    await using folder = await workspaceFolder({ "compose.yaml": written });
    return await folder.read();
  };
  const [made] = (await read(BEFORE)).groups as [Group]; // one file was written
  const held = (kind: "network" | "volume") => {
    const resource = made.resources.find((one) => one.kind === kind)!; // the text has one of each
    const labels = resourceLabels(made, { ...resource, kind } as Resource & { kind: typeof kind }, "");
    return { name: resource.name!, backend: "one", labels };
  };
  const options = { mtu: "1400", "com.docker.network.enable_ipv4": "true" };
  const lan = {
    gateways: ["10.9.0.1"],
    options,
    driver: "bridge",
    internal: false,
    attachable: false,
    ipv6: false,
    subnets: ["10.9.0.0/24"],
  };
  const network: HeldNetwork = { id: "1", ...held("network"), ...lan, users };
  const volume: HeldVolume = { ...held("volume"), driver: "local", users: [] };
  const model = await read(text);
  const [group] = model.groups as [Group]; // as above
  const scene = {
    model,
    group,
    workspace: { id: "w", name: "w" },
    backend: { name: "one", kind: "docker" },
    members: new Map(),
    leftovers: new Map(),
    orphans: [],
    holdings: { images: [], networks: [network], volumes: [volume] },
    sees: { container: () => true, resource: () => true },
    ...told,
  } as unknown as Scene; // nothing else is asked for
  const draft = new Draft();
  const newer = new Map();
  const request = { pull: "policy", build: false, orphans, action: "up", recreate: "changed" } as const;
  if (told.members === undefined) {
    const resources = new Resources(scene, draft, { ...request, pull: "never", newer });
    resources.shared(group.units[0] as Unit); // there is one
  } else {
    const asked = { ...request, rerun: [], inPlace: true } as unknown as PlanRequest; // as above
    planUp(scene, group.units, linksOf(group), { request: asked, newer, check: () => {} }, draft);
  }
  return {
    all: draft.steps,
    steps: draft.steps.map(({ kind }) => kind),
    why: draft.steps[0]?.why,
    blocked: draft.blocked.map(({ code, message }) => `${code}: ${message}`),
    warnings: draft.warnings.map(({ code }) => code),
  };
}

Deno.test("A network is replaced for other options, labels and gateways, and a volume is not", async () => {
  assert.deepEqual(await planned(BEFORE), { all: [], steps: [], why: undefined, blocked: [], warnings: [] });
  const changes = [
    ["driver_opts", "1400", "1500"],
    ["driver_opts", 'mtu: "1400"', ""],
    ["labels", "networks: { lan: {", "networks: { lan: { labels: { tier: back },"],
    ["ipam", "10.9.0.1", "10.9.0.9"],
  ] as const;
  for (const [field, from, to] of changes) {
    const { steps, why, warnings } = await planned(BEFORE.replace(from, to));
    assert.deepEqual(steps, ["network.remove", "network.create"], to);
    assert.deepEqual(why?.map((one) => one.code === "field" && one.field), [field]);
    assert.deepEqual(warnings, []);
  }
  const { steps, warnings } = await planned(BEFORE.replace("device: tmpfs", "device: tmpfs, o: size=1m"));
  assert.deepEqual([steps, warnings], [[], ["project/volume-changed"]]);
});

Deno.test("A network whose file says the same in another form is not replaced", async () => {
  const { steps } = await planned(BEFORE.replace("10.9.0.0/24", "10.9.0.9/24"));
  assert.deepEqual(steps, []);
});

Deno.test("A container that goes or leaves a new network does so once it runs in it", async () => {
  const text = BEFORE.replace("1400", "1500")
    .replace("services: {", "services: { app: { image: a, networks: [other] },")
    .replace("networks: { lan", "networks: { other: {}, lan");
  const memberOf = (service: string, number: number, differences: readonly unknown[], state = "running") => {
    const labels = { "com.docker.compose.container-number": `${number}` };
    const name = `${service}-${number}`;
    const restart = { name: "no" };
    const seen = {
      id: name,
      name,
      state,
      networkMode: "lan",
      undeclarable: [],
      labels,
      compose: { service },
      restart,
    };
    return { container: seen, differences, remarks: [] };
  };
  await using folder = await workspaceFolder({ "compose.yaml": text });
  const at = (await folder.read()).groups[0]?.units[0]?.source;
  const left = { row: { change: "recreate", at: () => null }, field: "networks", declared: "", seen: "", at };
  const members = {
    app: [memberOf("app", 1, [left])],
    web: [memberOf("web", 1, []), memberOf("web", 2, []), memberOf("web", 3, [], "exited")],
  };
  const users = ["app-1", "web-1", "web-2", "web-3"].map((id) => ({ id, name: id, project: "shop" }));
  const more = {
    foreign: new Map(),
    pulledAt: new Map(),
    runtime: { permissionFor: () => "p", backends: () => [{ name: "one", kind: "docker" }] },
  };
  const told = { ...more, members: new Map(Object.entries(members)) } as unknown as Partial<Scene>; // as the scene

  const { all } = await planned(text, { users, told });

  const step = (kind: string, target: string, why: string) =>
    all.find((one) =>
      one.kind === kind && one.target === target && one.why.some(({ code }) => code === why)
    ) ??
      assert.fail(`${kind} ${target}`);
  const pairs = [
    ["container.stop", "web-2", "scaleDown", "container.start"],
    ["container.remove", "web-3", "scaleDown", "network.connect"],
    ["container.swap", "app-1", "field", "container.start"],
  ] as const;
  for (const [kind, target, why, before] of pairs) {
    const { after } = step(kind, target, why);
    assert.ok(after.includes(step(before, target, "followsFrom").n), `${kind} ${target} after ${after}`);
  }
});

Deno.test("A network is not replaced while anybody is in it who would not come into the new one", async () => {
  const text = BEFORE.replace("1400", "1500");
  const other = { id: "o", name: "shop-other-1", project: "shop" };
  const orphans = [other] as unknown as Scene["orphans"]; // only their ids are read
  const kept = await planned(text, { users: [other], told: { orphans } });
  assert.deepEqual([kept.steps, kept.blocked.length], [[], 1]);
  assert.match(
    kept.blocked[0]!,
    /^project\/network-in-use: .*"shop-other-1"; remove the containers that are not/,
  );
  const removed = await planned(text, { users: [other], told: { orphans }, orphans: "remove" });
  assert.deepEqual([removed.steps, removed.blocked], [["network.remove", "network.create"], []]);
  const once = { id: "r", name: "shop-web-run-1", project: "shop" };
  const run = await planned(text, { users: [once, other], told: { orphans } });
  assert.match(run.blocked[0]!, /"shop-web-run-1", "shop-other-1"; disconnect them first$/);
});
