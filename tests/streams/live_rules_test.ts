/** Rules that only show beside an engine: each is provoked by one set of containers and silent about another. */
import assert from "node:assert/strict";
import { look } from "../../projects/drift/look.ts";
import { type RuleCode, ruleOf, RULES } from "../../artifacts/rules/catalog.ts";
import { NO_SERVICES } from "../../core/running_services.ts";
import type { ContainerRuntime, Holdings, InspectedContainer } from "../../core/runtime.ts";
import { attachedTo, UNASKED } from "../proof/unasked.ts";
import { type Files, type WorkspaceFolder, workspaceFolder } from "../support/workspace_folder.ts";

interface Running extends Partial<Omit<InspectedContainer, "compose">> {
  readonly service: string;
  readonly project?: string;
  /** Below the workspace, or absolute. */
  readonly file?: string | null;
  readonly folder?: string | null;
}

interface Scene {
  readonly files: Files;
  readonly containers: readonly Running[];
  readonly holdings?: Partial<Holdings>;
  /** Ports at which something of the host answers. */
  readonly answering?: readonly number[];
  /** The number of nodes of the one swarm that is known. */
  readonly nodes?: number;
}

const whole = (root: string, path: string) =>
  path.startsWith("/") ? path : path === "" ? root : `${root}/${path}`;

function inspected(root: string, running: Running, index: number): InspectedContainer {
  const { service, project = "shop", file = "compose.yaml", folder = "", ...rest } = running;
  return {
    id: `c${index}`,
    name: `${project}-${service}-1`,
    image: "nginx:1.27",
    imageId: "sha256:0",
    state: "running",
    health: null,
    exitCode: null,
    restartCount: 0,
    reason: null,
    condition: "running",
    createdAt: "2026-01-01T00:00:00Z",
    startedAt: null,
    finishedAt: null,
    ending: { keepsRunning: false, oomKilled: false, byHand: false },
    stopped: null,
    healthOutput: null,
    compose: {
      project,
      service,
      workingDir: folder === null ? null : whole(root, folder),
      configFiles: file === null ? [] : [whole(root, file)],
    },
    backend: "docker",
    ...UNASKED,
    imageDefaults: null,
    pid: null,
    isSystem: false,
    inherited: [],
    askedMacAddress: null,
    undeclarable: [],
    networks: [attachedTo("shop_default")],
    ...rest,
  };
}

/** Returns a runtime that has exactly these containers. */
function runtimeOf(folder: WorkspaceFolder, { containers, holdings, nodes }: Scene): ContainerRuntime {
  const all = containers.map((running, index) => inspected(folder.path, running, index));
  return {
    revision: 1,
    stamp: "",
    backends: () => [],
    settle: () => Promise.resolve(),
    counts: () => ({ containers: { running: 0, paused: 0, stopped: 0, total: all.length }, images: 0 }),
    containers: () => Promise.resolve(all),
    unheard: () => new Map(),
    sightOf: () => Promise.resolve("same" as const),
    inspect: (id) => Promise.resolve(all.find((container) => container.id === id)!),
    relist: () => Promise.resolve(),
    engineDefaults: () => Promise.resolve({ logDriver: null, runtime: null, cgroupMode: null, bare: null }),
    imageTaggedAt: () => Promise.resolve(null),
    isImageFor: () => Promise.resolve(null),
    images: () => Promise.resolve([]),
    permissionFor: () => "test:act",
    deaths: () => [],
    services: () => ({
      ...NO_SERVICES,
      clusters: nodes === undefined ? [] : [{ name: "one", engines: ["docker"], nodes }],
    }),
    holdings: () =>
      Promise.resolve({ ports: [], networks: [], volumes: [], boundPaths: [], images: [], ...holdings }),
  };
}

async function found(scene: Scene, code: RuleCode) {
  await using folder = await workspaceFolder(scene.files);
  const view = await look(await folder.read(), runtimeOf(folder, scene), {
    answers: (port) => Promise.resolve(scene.answering?.includes(port) === true),
  });
  return (await view.findings()).filter((finding) => finding.code === code);
}

const one: Files = { "compose.yaml": "name: shop\nservices:\n  web:\n    image: nginx:1.27\n" };
const two: Files = {
  "compose.yaml":
    "name: shop\nservices:\n  web:\n    image: nginx:1.27\n  db:\n    image: postgres:17\n    ports: ['5432:5432']\n",
};
const external: Files = {
  "compose.yaml": `${one["compose.yaml"]}networks:\n  out: { external: true, name: proxy }\n`,
};
const proxy = {
  id: "n0",
  name: "proxy",
  backend: "docker",
  driver: "bridge",
  internal: false,
  attachable: false,
  ipv6: false,
  subnets: [],
  labels: {},
  users: [],
};
const spread: Files = {
  "compose.yaml": "x-berth: { target: swarm }\nservices:\n  web:\n    image: nginx:1.27\n    deploy:\n" +
    "      replicas: 5\n      placement: { max_replicas_per_node: 2 }\n",
};
const web: Running = { service: "web" };
const db: Running = { service: "db", image: "postgres:17" };
const held = { container: "other", backend: "docker", host: 5432, protocol: "tcp", address: "127.0.0.1" };

const SCENES: Readonly<Partial<Record<RuleCode, { readonly bad: Scene; readonly good: Scene }>>> = {
  "ref/external-missing": {
    bad: { files: external, containers: [web] },
    good: { files: external, containers: [web], holdings: { networks: [proxy] } },
  },
  "port/in-use": {
    bad: { files: two, containers: [web], holdings: { ports: [held] } },
    good: { files: two, containers: [web], holdings: { ports: [{ ...held, protocol: "udp" }] } },
  },
  "port/in-use-host": {
    bad: { files: two, containers: [web], answering: [5432] },
    good: { files: two, containers: [web], answering: [5433] },
  },
  "live/orphan-container": {
    bad: { files: one, containers: [web, { service: "ghost" }] },
    good: {
      files: one,
      containers: [web, { service: "ghost", labels: { "com.docker.compose.oneoff": "True" } }],
    },
  },
  "live/config-file-gone": {
    bad: { files: one, containers: [{ ...web, file: "gone.yaml" }] },
    good: { files: one, containers: [web] },
  },
  "live/renamed": {
    bad: { files: one, containers: [{ ...web, project: "old" }] },
    good: { files: one, containers: [web] },
  },
  "map/ambiguous": {
    bad: {
      files: {
        "a/shop/compose.yaml": "services:\n  web: { image: 'nginx:1.27' }\n",
        "b/shop/compose.yaml": "services:\n  web: { image: 'nginx:1.27' }\n",
      },
      containers: [{ ...web, file: null, folder: null }],
    },
    good: {
      files: {
        "a/shop/compose.yaml": "services:\n  web: { image: 'nginx:1.27' }\n",
        "b/shop/compose.yaml": "services:\n  web: { image: 'nginx:1.27' }\n",
      },
      containers: [{ ...web, file: "a/shop/compose.yaml", folder: "a/shop" }],
    },
  },
  "live/not-running": {
    bad: { files: two, containers: [web, { ...db, state: "exited", exitCode: 1 }] },
    good: { files: two, containers: [web, { ...db, state: "exited", exitCode: 0 }] },
  },
  "live/drift": {
    bad: { files: one, containers: [{ ...web, image: "nginx:1.26" }] },
    good: { files: one, containers: [{ ...web, image: "docker.io/library/nginx:1.27" }] },
  },
  "compose/field-not-supported": {
    bad: {
      files: { "compose.yaml": `${one["compose.yaml"]}    pre_start: [{ command: [echo] }]\n` },
      containers: [web],
    },
    good: { files: one, containers: [web] },
  },
  "swarm/max-replicas": {
    bad: { files: spread, containers: [], nodes: 2 },
    good: { files: spread, containers: [], nodes: 3 },
  },
  "map/by-name-only": {
    bad: { files: one, containers: [{ ...web, file: null, folder: null }] },
    good: { files: one, containers: [web] },
  },
};

for (const [code, { bad, good }] of Object.entries(SCENES) as [RuleCode, { bad: Scene; good: Scene }][]) { // as declared
  Deno.test(`${code} is found beside what it is about, and not beside what is well`, async () => {
    const findings = await found(bad, code);
    assert.equal(findings.length, 1);
    assert.notEqual(findings[0]!.at, null);
    assert.equal(findings[0]!.severity, ruleOf(code).severity);
    assert.deepEqual(await found(good, code), []);
    const silent = { ...bad, files: { ...bad.files, "berth.yaml": `rules:\n  ${code}: off\n` } };
    assert.deepEqual(await found(silent, code), [], "it can be silenced");
  });
}

Deno.test("every rule beside the engine has its scene", () => {
  const live = (Object.keys(RULES) as RuleCode[]).filter((code) => ruleOf(code).stage === "live"); // the table's keys
  assert.deepEqual(live.filter((code) => !(code in SCENES)), []);
});

Deno.test("labels with a path of another machine are joined through the map of berth.yaml", async () => {
  await using folder = await workspaceFolder(one);
  await folder.write({ "berth.yaml": `paths:\n  - { from: /elsewhere/code, to: ${folder.path} }\n` });
  const container: Running = {
    service: "web",
    folder: "/elsewhere/code",
    file: "/elsewhere/code/compose.yaml",
  };
  const view = await look(
    await folder.read(),
    runtimeOf(folder, { files: one, containers: [container] }),
  );
  assert.deepEqual(view.live.get("unit:shop.web")?.match, { by: "configFiles", confidence: "certain" });
});

Deno.test("a project of the same name that was started elsewhere on this machine is a stranger", async () => {
  await using other = await workspaceFolder(one);
  await using folder = await workspaceFolder(one);
  const container: Running = { service: "web", folder: other.path, file: `${other.path}/compose.yaml` };
  const view = await look(
    await folder.read(),
    runtimeOf(folder, { files: one, containers: [container] }),
  );
  assert.equal(view.live.get("unit:shop.web")?.state, "absent");
  assert.equal(view.joining.strangers.length, 1);
});

Deno.test("the state of a unit follows its containers: health, count, pause, end and restart", async () => {
  const stateOf = async (text: string, ...containers: Partial<Running>[]) => {
    await using folder = await workspaceFolder({
      "compose.yaml": `name: shop\nservices:\n  web:\n    image: nginx:1.27\n${text}`,
    });
    const scene = {
      files: {},
      containers: containers.map((container) => ({ service: "web", ...container })),
    };
    const { live } = await look(await folder.read(), runtimeOf(folder, scene));
    return live.get("unit:shop.web")?.state;
  };
  assert.equal(await stateOf(""), "absent");
  assert.equal(await stateOf("", {}), "running");
  assert.equal(await stateOf("", { health: "unhealthy" }), "degraded");
  assert.equal(await stateOf("    scale: 2\n", {}), "degraded");
  assert.equal(await stateOf("    scale: 2\n", {}, {}), "running");
  assert.equal(await stateOf("", { state: "paused" }), "paused");
  assert.equal(await stateOf("", { state: "restarting" }), "degraded");
  assert.equal(await stateOf("", { state: "exited", exitCode: 0 }), "completed");
  assert.equal(await stateOf("", { state: "exited", exitCode: 1 }), "exited");
  assert.equal(await stateOf("    restart: always\n", { state: "exited", exitCode: 0 }), "exited");
});

Deno.test("the depends_on label shows dependencies that were taken out of the files, and those that were put in", async () => {
  const files = {
    "compose.yaml":
      "name: shop\nservices:\n  web:\n    image: nginx:1.27\n    depends_on: [new]\n  new: { image: 'nginx:1.27' }\n  gone: { image: 'nginx:1.27' }\n",
  };
  await using folder = await workspaceFolder(files);
  const labels = { "com.docker.compose.depends_on": "gone:service_healthy:false" };
  const view = await look(
    await folder.read(),
    runtimeOf(folder, { files, containers: [{ ...web, labels }] }),
  );
  assert.deepEqual(
    view.live.get("unit:shop.web")?.drift?.map(({ field, declared, actual }) => [field, declared, actual]),
    [["dependsOn.gone", "(none)", "service_healthy"], ["dependsOn.new", "service_started", "(none)"]],
  );
});

Deno.test("an image whose name was given to another one since shows as drift", async () => {
  await using folder = await workspaceFolder(one);
  const driftWith = async (id: string) => {
    const images = [{ name: "docker.io/library/nginx:1.27", id, backend: "docker" }];
    const runtime = runtimeOf(folder, { files: one, containers: [web], holdings: { images } });
    return (await look(await folder.read(), runtime)).live.get("unit:shop.web")?.drift;
  };
  assert.deepEqual(await driftWith("sha256:0"), []);
  assert.deepEqual(
    (await driftWith("sha256:1"))?.map(({ field, declared, actual }) => [field, declared, actual]),
    [
      ["image", "nginx:1.27 (1)", "nginx:1.27 (0)"],
    ],
  );
});

Deno.test("secrets in what drifted are masked", async () => {
  const text =
    "    command: ['serve', '--token=abc', 'postgres://me:pw@db/x']\n    labels: { my.secret: abc }\n";
  const files = { "compose.yaml": `${one["compose.yaml"]}${text}` };
  await using folder = await workspaceFolder(files);
  const container: Running = {
    service: "web",
    command: ["serve", "--token=xyz"],
    labels: { "my.secret": "xyz" },
  };
  const view = await look(await folder.read(), runtimeOf(folder, { files, containers: [container] }), {});
  const drift = view.live.get("unit:shop.web")?.drift ?? [];
  assert.deepEqual(drift.map(({ field }) => field), ["command", "labels.my.secret"]);
  assert.ok(
    !/abc|xyz|pw/.test(
      JSON.stringify([drift, (await view.findings()).map(({ message, data }) => [message, data])]),
    ),
    JSON.stringify(drift),
  );
});

Deno.test("a container of a unit without a project is found by its name", async () => {
  const files = {
    "b.unit.yaml":
      "apiVersion: berth/v1\nkind: Unit\nmetadata: { name: backup }\nspec: { type: cron, runtime: { container: shop-web-1 } }\n",
  };
  await using folder = await workspaceFolder(files);
  const view = await look(await folder.read(), runtimeOf(folder, { files, containers: [web] }), {});
  assert.deepEqual(
    [view.live.get("unit:backup")?.state, view.live.get("unit:backup")?.match?.by],
    ["running", "containerName"],
  );
});

Deno.test("each difference has the place of its value, through overrides, extends, anchors and env files", async () => {
  const files = {
    "compose.yaml": `name: shop
x-check: &check
  interval: 7s
services:
  web:
    extends: { file: base.yaml, service: base }
    image: nginx:1.27
    healthcheck:
      <<: *check
      test: [CMD, "true"]
    env_file: web.env
    dns:
      - 10.0.0.1
    labels:
      - tier=front
`,
    "compose.override.yaml": "services:\n  web:\n    user: '7'\n    labels: { tier: back }\n",
    "base.yaml": "services:\n  base:\n    image: nginx\n    hostname: front\n    sysctls:\n      - net.x=1\n",
    "web.env": "# said\nONE=1\n",
  };
  await using folder = await workspaceFolder(files);
  const container: Running = {
    service: "web",
    healthcheck: ["CMD", "true"],
    healthTimes: { interval: 30e9, timeout: 0, startPeriod: 0, startInterval: 0, retries: 0 },
    memoryLimitBytes: 1024,
  };
  const view = await look(await folder.read(), runtimeOf(folder, { files, containers: [container] }), {});
  const places = Object.fromEntries(
    (view.live.get("unit:shop.web")?.drift ?? []).map(({ field, location: { file, range, path } }) => {
      const { start, end } = range;
      return [field, [`${file}:${start.line}:${start.column}-${end.column}`, path.join(".")]];
    }),
  );
  assert.deepEqual(places, {
    dns: ["compose.yaml:13:7-1", "services.web.dns"],
    "environment.ONE": ["web.env:2:1-6", "ONE"],
    "healthcheck.interval": ["compose.yaml:3:13-15", "x-check.interval"],
    hostname: ["base.yaml:4:15-20", "services.base.hostname"],
    "labels.tier": ["compose.override.yaml:4:21-25", "services.web.labels.tier"],
    "limits.memory": ["compose.yaml:5:3-6", "services.web"],
    "sysctls.net.x": ["base.yaml:6:9-16", "services.base.sysctls.0"],
    user: ["compose.override.yaml:3:11-14", "services.web.user"],
  });
});
