/** A plan about some units touches another one only where it would lose what it shares with one of them. */
import assert from "node:assert/strict";
import type { Group } from "../../artifacts/artifact.ts";
import { workspaceFolder } from "../../tests/support/workspace_folder.ts";
import { Draft } from "./draft.ts";
import { addWaits, noFate } from "./fate.ts";
import { type Link, linksOf, ordered } from "./order.ts";
import type { PlanRequest, Step } from "./plan_shape.ts";
import type { Scene } from "./scene.ts";
import { planUp } from "./up.ts";

const TEXT = `name: shop
services:
  vpn: { image: 'vpn:1', networks: [lan] }
  app: { image: 'app:1', network_mode: 'service:vpn', depends_on: [cache], pull_policy: always }
  log: { image: 'log:1', pid: 'service:app', networks: [lan], depends_on: { app: { condition: service_healthy } } }
  save: { image: 'save:1', volumes_from: [vpn], networks: [lan] }
  cache: { image: 'cache:1', depends_on: [vpn], networks: [lan] }
  idle: { image: 'idle:1', ipc: 'service:vpn', depends_on: { vpn: { condition: service_healthy } } }
  gone: { image: 'gone:1', ipc: 'service:vpn', depends_on: { vpn: { condition: service_healthy } } }
networks: { lan: { driver_opts: { mtu: '1500' } } }
`;
const IMAGES = ["vpn", "app", "log", "save", "cache", "idle", "gone"];
const DIGEST = `sha256:${"a".repeat(64)}`;

/** Plans these units by their labels; of `app` the engine has two containers, one of which does not run. */
async function planned(labels: readonly string[], options: {
  readonly newer?: boolean;
  readonly recreate?: "always" | "changed";
  readonly members?: Readonly<Record<string, string>>;
  readonly text?: string;
  /** Parts of each container. */
  readonly own?: object;
}) {
  const { newer = false, recreate = "changed", members = {}, text = TEXT, own = {} } = options;
  await using folder = await workspaceFolder({ "compose.yaml": text });
  const model = await folder.read();
  const [group] = model.groups as [Group]; // one file was written
  const at = group.units[0]!.source; // there are several
  const differs = {
    row: { change: "recreate", at: () => null },
    field: "user",
    declared: "b",
    seen: "a",
    at,
  };
  const memberOf = (service: string, state: string, differences: readonly unknown[] = []) => ({
    container: {
      id: `${service}-${state}`,
      name: `${service}-${state}`,
      state,
      exitCode: 1,
      undeclarable: [],
      labels: {},
      networkMode: "lan",
      compose: { service },
      restart: { name: "no" },
      ...own,
    },
    differences,
    remarks: [],
  });
  const all = {
    vpn: [memberOf("vpn", "running")],
    app: [memberOf("app", "exited", [differs]), memberOf("app", "running", [differs])],
    log: [memberOf("log", "running")],
    save: [memberOf("save", "running")],
    cache: [memberOf("cache", "running", [differs])],
    idle: [memberOf("idle", "exited"), memberOf("idle", "paused")],
    ...Object.fromEntries(Object.entries(members).map(([one, state]) => [one, [memberOf(one, state)]])),
  };
  const images = IMAGES.map((name) => ({ name: `${name}:1`, backend: "one" }));
  const scene = {
    model,
    group,
    workspace: { id: "w", name: "w" },
    backend: { name: "one", kind: "docker" },
    members: new Map(Object.entries(all)),
    leftovers: new Map(),
    orphans: [],
    holdings: { images, networks: [], volumes: [] },
    sees: { container: () => true, resource: () => true },
    foreign: new Map(),
    places: new Map(),
    pulledAt: new Map(),
    runtime: { permissionFor: () => "p", backends: () => [{ name: "one", kind: "docker" }] },
  } as unknown as Scene; // nothing else is asked for
  const named = group.units.filter(({ label }) => labels.includes(label));
  const request = {
    pull: "policy",
    build: true,
    orphans: "keep",
    action: "up",
    recreate,
    rerun: [],
    inPlace: true,
  };
  const draft = new Draft();
  const links = linksOf(group);
  const followed: string[] = [];
  const checked: string[] = [];
  const { followers } = planUp(scene, ordered(group, named, links)!, links, {
    request: { ...request, units: labels } as unknown as PlanRequest, // as the scene
    newer: new Map(newer ? named.map(({ id }) => [id, DIGEST]) : []),
    check: ({ label }, isMade) => {
      followed.push(label);
      if (isMade) checked.push(label);
    },
  }, draft);
  assert.deepEqual(followers.map(({ label }) => label), followed);
  return { ...draft, checked, said: draft.steps.map(said) };
}

const said = ({ kind, target, ifChanged, why }: Step): string =>
  [kind, target, ...ifChanged === undefined ? [] : [`if ${ifChanged}`], why.map(({ code }) => code).join()]
    .join(" ");

const NETWORK = "network.create shop_lan absent";

Deno.test("A unit that is made anew alone takes along the running ones that share its namespaces or volumes", async () => {
  const always = await planned(["vpn"], { recreate: "always" });
  assert.deepEqual(always.said, [
    NETWORK,
    "container.swap vpn-running asked",
    "container.swap app-running followsFrom,field",
    "container.swap save-running followsFrom",
    "wait app: service_healthy followsFrom",
    "container.swap log-running followsFrom",
  ], "nothing waits for the sake of a unit that does not run");
  assert.deepEqual(always.checked, ["app", "save", "log"]);
  assert.deepEqual(always.steps.slice(2).map(({ after }) => after), [[2], [1, 2], [3], [1, 3, 5]]);

  const newer = await planned(["vpn"], { newer: true });
  assert.deepEqual(newer.said, [
    NETWORK,
    "image.pull vpn:1 newerImage",
    "container.swap vpn-running if 2 newerImage",
    "container.swap app-running if 2 followsFrom,field",
    "container.swap save-running if 2 followsFrom",
    "wait app: service_healthy if 2 followsFrom",
    "container.swap log-running if 2 followsFrom",
  ]);
});

Deno.test("A unit that shares nothing with what changes, or whose parent stays, is left as it is", async () => {
  assert.deepEqual((await planned(["vpn"], {})).said, [NETWORK]);
  assert.deepEqual((await planned(["save"], { members: { save: "exited" } })).said, [
    NETWORK,
    "container.start save-exited stopped",
  ]);
  const started = await planned(["vpn"], { members: { vpn: "exited" } });
  assert.deepEqual(started.said, [
    NETWORK,
    "container.start vpn-exited stopped",
    "container.restart app-running followsFrom",
    "wait app: service_healthy followsFrom",
    "container.restart log-running followsFrom",
  ], "its sharers start again with it, and nothing of their files is applied");
  assert.deepEqual(started.checked, [], "a file that is not applied blocks nothing");
});

Deno.test("An image is built anew for a unit also where its builder only follows that unit", async () => {
  const build = "build: { context: ., dockerfile_inline: FROM scratch },";
  const text = TEXT.replace("image: 'app:1',", `image: 'vpn:1', ${build}`).replace("pull_policy: always", "");
  const { said, steps } = await planned(["vpn"], { text });
  assert.deepEqual(said.slice(1, 4), [
    "image.build vpn:1 asked",
    "container.swap vpn-running if 2 newerImage",
    "container.swap app-running if 2 followsFrom,field",
  ]);
  assert.deepEqual(steps[3]?.after, [2, 3]);
});

Deno.test("A unit that requires a condition does not rely on the optional wait of another one", () => {
  const draft = new Draft();
  const fate = { ...noFate(), last: [1], isStarted: true, isSurelyStarted: true };
  const names = { workspace: { id: "w" }, group: { project: "shop" }, backend: { name: "one" } };
  const scene = names as unknown as Scene; // enough for a wait
  const unit = { id: "vpn", label: "vpn" } as Group["units"][number]; // the same
  for (const required of [false, false, true, true, false]) {
    const dependants = [{ condition: "service_healthy", required }] as unknown as Link[]; // the same
    addWaits(scene, draft, { unit, fate, dependants });
  }
  assert.deepEqual(draft.steps.map(({ optional }) => optional), [true, undefined]);
});

Deno.test("A replacement of a container of --rm is blocked where the new one leaves out its volume without a name", async () => {
  const data = { type: "volume", source: "a".repeat(64), target: "/data" };
  const plan = async (mount: string, imageVolumes: readonly string[] = []) => {
    const { blocked, warnings } = await planned(["cache"], {
      own: { undeclarable: ["removesItself"], mounts: [data], imageDefaults: { volumes: imageVolumes } },
      text: `services: { cache: { image: 'cache:1', volumes: [${mount}] } }\nvolumes: { data: }\n`,
    });
    return [blocked, warnings].map((all) => all.map(({ message }) => message.replace(/^.*?stops, /, "")));
  };
  const blocked =
    'and its volume without a name at "/data", which the new one would not mount, with it: let the ' +
    "file keep a volume without a name there, or copy its data and remove the container yourself";
  const warned = "so it cannot come back if the new one fails";
  assert.deepEqual(await plan("'data:/data'", ["/data"]), [[blocked], []]);
  assert.deepEqual(await plan(""), [[blocked], []]);
  assert.deepEqual(await plan("", ["/data"]), [[], [warned]]);
  assert.deepEqual(await plan("/data"), [[], [warned]], "what it advises helps");
});
