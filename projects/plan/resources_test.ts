/** Networks and volumes of a plan: those that their file defines anew, and who is in the way. */
import assert from "node:assert/strict";
import type { Group, Resource, Unit } from "../../artifacts/artifact.ts";
import type { HeldNetwork, HeldVolume } from "../../core/held_objects.ts";
import { workspaceFolder } from "../../tests/support/workspace_folder.ts";
import { resourceLabels } from "../hash/resource_labels.ts";
import { Draft } from "./draft.ts";
import { Resources } from "./resources.ts";
import type { Scene } from "./scene.ts";

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
  const request = { pull: "never", build: false, orphans, action: "up", newer: new Map() } as const;
  new Resources(scene, draft, request).shared(group.units[0] as Unit); // there is one
  return {
    steps: draft.steps.map(({ kind }) => kind),
    why: draft.steps[0]?.why,
    blocked: draft.blocked.map(({ code, message }) => `${code}: ${message}`),
    warnings: draft.warnings.map(({ code }) => code),
  };
}

Deno.test("A network is replaced for other options, labels and gateways, and a volume is not", async () => {
  assert.deepEqual(await planned(BEFORE), { steps: [], why: undefined, blocked: [], warnings: [] });
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
