/** The author of a file gets no more of the host, or of other projects, than the person who applies it may give. */
import assert from "node:assert/strict";
import { type ApplyScene, project, scene, service } from "../apply/apply_scene.ts";
import { eventually } from "../support/eventually.ts";
import { sharedEngine } from "../support/shared_engine.ts";

/** Each gives its container hold of the host, or of what belongs to others. */
const OUT: Readonly<Record<string, string>> = {
  privileged: "privileged: true",
  capability: "cap_add: [SYS_ADMIN]",
  device: "devices: ['/dev/null:/dev/x']",
  devicerule: "device_cgroup_rules: ['b 8:* rwm']",
  gpu: "gpus: all",
  reserved: "deploy: { resources: { reservations: { devices: [{ capabilities: [gpu], count: 1 }] } } }",
  security: "security_opt: ['seccomp:unconfined']",
  runtime: "runtime: other",
  cgroupparent: "cgroup_parent: /x",
  cgroup: "cgroup: host",
  sysctl: "sysctls: { vm.overcommit_memory: 1 }",
  annotation: "annotations: { run.oci.handler: krun }",
  hostnet: "network_mode: host",
  othersnet: "network_mode: 'container:theirs'",
  hostpid: "pid: host",
  otherspid: "pid: 'container:theirs'",
  ipc: "ipc: host",
  uts: "uts: host",
  users: "userns_mode: host",
  externalhost: "networks: [machine]",
  namednet: "networks: [namespace]",
  links: "external_links: [theirs]",
  theirvolumes: "volumes_from: ['container:theirs']",
  bind: "volumes: ['/etc:/host']",
  above: "volumes: ['../..:/host']",
  link: "volumes: ['./link:/host']",
  belowlink: "volumes: ['./link/new/folder:/host']",
  socket: "volumes: ['./socket:/s']",
  secretout: "secrets: [shadow]",
};

/** Each is the project's own. */
const OWN: Readonly<Record<string, string>> = {
  plain: "",
  file: "volumes: ['./compose.yaml:/x', './new:/y', 'data:/data']",
  inner: "volumes: ['./inner:/x']",
  word: "secrets: [word]",
  joined: "network_mode: 'service:plain'",
  borrowed: "volumes_from: [plain]",
  namespace: "pid: 'service:plain'\nipc: shareable",
  ownsysctl: "sysctls: { net.core.somaxconn: 1024 }",
  hardened: "security_opt: ['no-new-privileges:true']",
  limits: "mem_limit: 64m\nulimits: { nofile: 1024 }",
};

const MORE = `networks:
  machine: { external: true, name: host }
  namespace: { name: 'container:theirs' }
volumes: { data: {} }
secrets: { word: { file: ./word.txt }, shadow: { file: /etc/shadow } }
`;

const { test } = await sharedEngine("docker");

test("each way to the host needs projects:host, through links as well, and what is the project's own needs nothing", async (engine) => {
  const name = "ways";
  const parts = [...Object.entries(OWN), ...Object.entries(OUT)].map(([one, lines]) => service(one, lines));
  await scene(engine, name, project(name, [service("plain")]), async (scene) => {
    const { path, berth } = scene;
    await Deno.symlink("/etc", `${path}/link`);
    await Deno.mkdir(`${path}/folder`);
    await Deno.symlink("folder", `${path}/inner`);
    using _socket = Deno.listen({ transport: "unix", path: `${path}/socket` });
    await Deno.writeTextFile(`${path}/word.txt`, "one");
    await scene.write(project(name, parts, MORE));
    const operator = await berth.key("operator");
    const plan = await scene.plan({}, operator);
    const made = plan.steps.filter(({ kind }) => kind === "container.create");
    const needing = new Map(made.map(({ unit, needs }) => [
      unit!.slice(`unit:${name}.`.length),
      needs.some(({ permission }) => permission === "projects:host"),
    ]));
    for (const one of Object.keys(OUT)) assert.equal(needing.get(one), true, one);
    for (const one of Object.keys(OWN)) assert.equal(needing.get(one), false, one);
    assert.ok(plan.missing.some(({ permission }) => permission === "projects:host"));
    assert.equal((await scene.begin(plan, {}, operator)).status, plan.blocked.length > 0 ? 409 : 403);
  });
});

test("a folder that becomes a link out of the workspace after the plan is noticed, and nothing is done", async (engine) => {
  const name = "turned";
  const text = project(name, [service("web", "volumes: ['./data:/data']")]);
  await scene(engine, name, project(name, [service("web")]), async (scene) => {
    await Deno.mkdir(`${scene.path}/data`);
    await scene.write(text);
    const operator = await scene.berth.key("operator");
    const plan = await scene.plan({}, operator);
    assert.deepEqual(plan.missing, []);
    await Deno.remove(`${scene.path}/data`);
    await Deno.symlink("/etc", `${scene.path}/data`);
    const refused = await eventually("it is seen", async () => {
      const answer = await scene.begin(plan, {}, operator);
      return answer.status === 409 ? answer : null;
    });
    assert.equal(refused.body.code, "plan_stale");
    assert.match(JSON.stringify(refused.body.errors), /path .*\/data/);
    assert.deepEqual(await scene.containers(), {});
  });
});

/** Waits until a plan tells it. */
const told = (scene: ApplyScene, code: string) =>
  eventually(`${code} is told`, async () => {
    const plan = await scene.plan();
    return [...plan.blocked, ...plan.warnings].some((one) => one.code === code) ? plan : null;
  });

test("a network of others is never replaced, and one whose name several have is nobody's", async (engine) => {
  const name = "lent";
  const net = "lent_theirs";
  const label = "com.docker.compose.project=theirs";
  await engine.cli("network", "create", "--label", label, net);
  const text = (more: string) =>
    project(name, [service("web", "networks: [lent]")], `networks: { lent: { name: ${net}${more} } }\n`);
  try {
    await scene(engine, name, text(", internal: true"), async (scene) => {
      const id = await engine.cli("network", "inspect", "--format", "{{.Id}}", net);
      const plan = await told(scene, "project/not-own");
      assert.deepEqual(plan.steps.filter(({ kind }) => kind.startsWith("network.")), []);
      assert.equal((await scene.apply()).state, "done");
      assert.equal((await scene.apply({ action: "down" })).state, "done");
      assert.equal(await engine.cli("network", "inspect", "--format", "{{.Id}}", net), id);
      const twin = await engine.ask("POST /networks/create", { Name: net, Labels: { who: "twin" } });
      assert.equal(twin.status, 201, twin.body);
      const blocked = await told(scene, "project/network-twice");
      assert.match(
        blocked.blocked[0]?.message ?? "",
        /^Several networks are called "lent_theirs" on engine "docker"/,
      );
      await engine.cli("network", "rm", twin.json.Id);
    });
  } finally {
    await engine.cli("network", "rm", net).catch(() => {});
  }
});

test("a volume of others never goes, whatever the file calls it and whoever names it", async (engine) => {
  const [name, volume] = ["lentdata", "theirs_lent"];
  await engine.cli("volume", "create", "--label", "com.docker.compose.project=theirs", volume);
  try {
    const text = project(
      name,
      [service("web", "volumes: ['data:/data']")],
      `volumes: { data: { name: ${volume} } }\n`,
    );
    await scene(engine, name, text, async (scene) => {
      const plan = await eventually("the volume is seen", async () => {
        const plan = await scene.plan({ action: "down", volumes: [volume] });
        return plan.blocked.length > 0 ? plan : null;
      });
      assert.deepEqual(plan.blocked.map(({ code }) => code), ["project/not-own"]);
      assert.deepEqual([plan.steps.filter(({ kind }) => kind === "volume.remove"), plan.keeps], [[], []]);
      const refused = await scene.begin(plan, { confirm: [volume] });
      assert.deepEqual([refused.status, refused.body.code], [409, "plan_blocked"]);
      await engine.cli("volume", "inspect", volume);
    });
  } finally {
    await engine.cli("volume", "rm", volume);
  }
});

test("an apply and its plan are those of whoever has the project in scope, and of nobody else", async (engine) => {
  const name = "scopedone";
  await scene(engine, name, project(name, [service("web")]), async (scene) => {
    const { berth } = scene;
    const plan = await scene.plan();
    const id = (await scene.apply()).id;
    const of = async (on: string) => {
      const { body } = await berth.call("POST /api/settings/api-keys", {
        name: on,
        grants: [{ role: "operator", on: [on] }],
      });
      return berth.as(body.key);
    };
    const listed = async (caller: typeof berth | Awaited<ReturnType<typeof of>>) =>
      (await caller.call("GET /api/applies")).body.items.map((one: { id: string }) => one.id);
    const [inside, outside] = [await of(`project:${name}`), await of("project:other")];
    assert.deepEqual([await listed(inside), await listed(outside)], [[id], []]);
    for (
      const route of [
        `GET /api/applies/${id}`,
        `GET /api/applies/${id}/events`,
        `POST /api/applies/${id}/cancel`,
        `POST /api/applies/${id}/resume`,
        `POST /api/applies/${id}/abandon`,
        `GET /api/plans/${plan.id}`,
        `POST /api/plans/${plan.id}/apply`,
      ]
    ) assert.equal((await outside.call(route)).status, 404, route);
    assert.equal((await inside.call(`GET /api/applies/${id}`)).status, 200);
    assert.equal((await inside.call(`POST /api/applies/${id}/cancel`)).body.code, "apply_over");
    // A key that may plan it, and apply another one.
    const { body } = await berth.call("POST /api/settings/api-keys", {
      name: "planner",
      grants: [{ role: "viewer" }, { permissions: ["projects:plan"] }, {
        role: "operator",
        on: ["project:other"],
      }],
    });
    const planner = berth.as(body.key);
    const theirs = await scene.plan({ action: "down" }, planner);
    const refused = await scene.begin(theirs, {}, planner);
    assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
    assert.match(refused.body.title, /"projects:apply" on the project "scopedone"/);
  });
});

test("what would block a plan by now makes an older one stale: a container from elsewhere, a group of the same name", async (engine) => {
  const name = "claimed";
  const text = project(name, [service("web")]);
  await scene(engine, name, text, async (scene) => {
    const { berth } = scene;
    const plan = await scene.plan();
    const labels = ["project", "service"].map((one) => `com.docker.compose.${one}=${name}`);
    const from = "com.docker.compose.project.working_dir=/somewhere/else";
    await engine.cli(
      "create",
      "--name",
      "claimant",
      ...[...labels, from].flatMap((one) => ["--label", one]),
      "berth-fixture:latest",
    );
    const stale = async (code: RegExp) => {
      const refused = await eventually("it is seen", async () => {
        const answer = await scene.begin(plan);
        return answer.status === 409 ? answer : null;
      });
      assert.equal(refused.body.code, "plan_stale", refused.text);
      assert.match(JSON.stringify(refused.body.errors), code);
    };
    await stale(/project\/guess/);
    await engine.cli("rm", "claimant");

    const path = `${berth.folder}/workspaces/second`;
    await Deno.mkdir(path);
    await Deno.writeTextFile(`${path}/compose.yaml`, text);
    const added = await berth.call("POST /api/workspaces", { path });
    assert.equal(added.status, 201, added.text);
    await stale(/project\/same-name/);
    assert.deepEqual(await scene.containers(), {});
  });
});
