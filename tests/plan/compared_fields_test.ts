/** Fields of files beside containers as an engine tells them, without an engine. */
import assert from "node:assert/strict";
import type { Group, Unit } from "../../artifacts/artifact.ts";
import { stateOf } from "../../artifacts/live/state.ts";
import { resolvedAt } from "../../artifacts/report/values.ts";
import type { ContainerRuntime, RunningContainer } from "../../core/runtime.ts";
import type { Engine } from "../../engines/calls/engine.ts";
import { Inspections } from "../../plugins/containers/containers/inspected.ts";
import { UnheldLimits } from "../../plugins/containers/containers/unheld_limits.ts";
import { engineViews } from "../../projects/drift/views.ts";
import type { EngineView } from "../../projects/fields/engine_view.ts";
import type { EngineKind } from "../../projects/fields/field.ts";
import { differencesOf, isOpenRow } from "../../projects/fields/table.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";

/** The capabilities that Podman gives by itself. */
const GIVEN = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "NET_BIND_SERVICE"]
  .concat(["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"]);

const ID = "a".repeat(64);

/** The parts of an engine's answer that are not as they are in a container of which nothing was asked. */
interface Told {
  readonly Config?: Readonly<Record<string, unknown>>;
  readonly HostConfig?: Readonly<Record<string, unknown>>;
  readonly network?: Readonly<Record<string, unknown>>;
  /** The configuration of its image. */
  readonly image?: Readonly<Record<string, unknown>>;
}

/** Returns the differences of the service `web`, which has these further lines, from a container. */
async function differences(
  kind: EngineKind,
  lines: readonly string[],
  told: Told,
  env = "",
  unheld?: EngineView["unheld"],
) {
  const text = ["services:", "  web:", "    image: shop:1", ...lines.map((line) => `    ${line}`), ""];
  await using folder = await workspaceFolder({ "compose.yaml": text.join("\n"), ".env": env });
  const model = await folder.read();
  const [group] = model.groups as [Group]; // one file was written
  const [unit] = group.units as [Unit]; // as above
  const image = { Config: { Cmd: ["serve"], Entrypoint: ["/entry"], Env: [], Labels: {}, ...told.image } };
  const engine = { name: "one", get: () => Promise.resolve(image) } as unknown as Engine; // asked for no more
  const wire = {
    Id: ID,
    Name: "/shop-web-1",
    Image: `sha256:${"b".repeat(64)}`,
    Created: "2026-01-01T00:00:00Z",
    State: { Status: "running", Running: true, Pid: 5, StartedAt: "2026-01-01T00:00:00Z" },
    Config: {
      Image: "shop:1",
      Hostname: ID.slice(0, 12),
      Cmd: ["serve"],
      Entrypoint: ["/entry"],
      ...told.Config,
    },
    HostConfig: {
      NetworkMode: "shop_default",
      RestartPolicy: { Name: "no", MaximumRetryCount: 0 },
      LogConfig: { Type: "json-file", Config: {} },
      ShmSize: 64 << 20,
      ...told.HostConfig,
    },
    Mounts: [],
    NetworkSettings: {
      Networks: { shop_default: { Aliases: ["shop-web-1", "web"], IPAMConfig: {}, ...told.network } },
    },
  };
  const view: EngineView = {
    kind,
    mappedTo: (path) => path,
    realOf: (path) => path,
    sourceAt: () => undefined,
    neighbour: () => undefined,
    imageNow: () => undefined,
    digest: null,
    contents: new Map(),
    ...(unheld !== undefined && { unheld }),
  };
  const container = await new Inspections().of(engine, wire, "compare");
  return differencesOf({ model, group, unit, service: unit.service! }, container, view)
    .map(({ field, declared, seen, at, row, isRemark }) => {
      if (isRemark) return [field, declared, `remark: ${seen}`];
      const resolved = isOpenRow(row) ? resolvedAt(at, group, model)?.resolved : undefined;
      return resolved === undefined ? [field, declared, seen] : [field, declared, seen, resolved];
    });
}

Deno.test("No option whose name tells of a secret is shown, be it declared or run, literal or beside a variable", async () => {
  for (const mode of ["one", "${MODE}"]) {
    const found = await differences(
      "docker",
      [
        `logging: { driver: json-file, options: { splunk-token: canary1, tag: "${mode}" } }`,
        `storage_opt: { store.secret: canary2, size: "${mode}" }`,
        `sysctls: { net.secret: canary3 }`,
        `networks: { default: { driver_opts: { vpn.credential: canary4, mode: "${mode}" } } }`,
      ],
      {
        HostConfig: {
          LogConfig: { Type: "json-file", Config: { "splunk-token": "canary5", tag: "b" } },
          StorageOpt: { "store.secret": "canary6", size: "b", "other.secret": "canary7" },
          Sysctls: { "net.secret": "canary8" },
        },
        network: { DriverOpts: { "vpn.credential": "canary9" } },
      },
      "MODE=fast\n",
    );
    assert.deepEqual(found.map(([field]) => field).sort(), [
      "driverOptions.shop_default",
      "log.options.splunk-token",
      "log.options.tag",
      "storageOptions.other.secret",
      "storageOptions.size",
      "storageOptions.store.secret",
      "sysctls.net.secret",
    ]);
    assert.doesNotMatch(JSON.stringify(found), /canary/);
    const options = found.find(([field]) => field === "driverOptions.shop_default")!; // as was looked at
    assert.deepEqual(options.slice(3), mode === "one" ? [] : ["******** ********"]);
  }
});

Deno.test("All capabilities are compared by their names on Docker, and as Podman writes them out there", async () => {
  const caps = async (kind: EngineKind, lines: readonly string[], host: Told["HostConfig"]) =>
    (await differences(kind, lines, { HostConfig: host ?? {} })).map(([field]) => field);
  const [drop, add] = [["cap_drop: [ALL]"], ["cap_add: [ALL]"]];
  assert.deepEqual(await caps("docker", drop, { CapDrop: ["ALL"] }), []);
  assert.deepEqual(await caps("docker", drop, { CapDrop: ["CAP_CHOWN"] }), ["capDrop"]);
  assert.deepEqual(await caps("docker", add, { CapAdd: ["CAP_NET_ADMIN"] }), ["capAdd"]);
  assert.deepEqual(await caps("docker", [], { CapAdd: ["ALL"], Privileged: true }), ["privileged", "capAdd"]);
  assert.deepEqual(await caps("podman", drop, { CapDrop: GIVEN.map((name) => `CAP_${name}`) }), []);
});

Deno.test("An empty entrypoint in the file is a difference from that of the image on Docker, an empty command is none", async () => {
  const image = { Cmd: ["serve"], Entrypoint: ["/entry"] };
  for (const empty of ["[]", '""']) {
    assert.deepEqual(await differences("docker", [`entrypoint: ${empty}`], { image }), [
      ["entrypoint", "(none)", "/entry"],
    ]);
    assert.deepEqual(
      await differences("docker", [`entrypoint: ${empty}`], { Config: { Entrypoint: [] }, image }),
      [],
    );
    assert.deepEqual(await differences("docker", [`command: ${empty}`], { image }), []);
    assert.deepEqual(await differences("podman", [`entrypoint: ${empty}`], { image }), []);
  }
});

Deno.test("Options of memory in the short form are compared on Docker, whatever their form and order", async () => {
  const memory = async (kind: EngineKind, lines: readonly string[], options: string) =>
    (await differences(kind, lines, { HostConfig: { Tmpfs: { "/run/": options } } })).map((one) =>
      one.slice(1)
    );
  const short = ["tmpfs: ['/run:size=1m,mode=0700']"];
  assert.deepEqual(await memory("docker", short, "mode=700,size=1024k"), []);
  assert.deepEqual(await memory("docker", short, "size=2m"), [["size=1m, mode=0700", "size=2m"]]);
  assert.deepEqual(await memory("docker", ["tmpfs: /run"], "noexec"), [["(no options)", "noexec"]]);
  const long = ["volumes: [{ type: tmpfs, target: /run, tmpfs: { size: 1m, mode: 0700 } }]"];
  assert.deepEqual(await memory("docker", long, "size=1m,mode=0700"), []);
  assert.deepEqual(await memory("docker", long, "size=3m,mode=0700"), [[
    "size=1048576, mode=700",
    "size=3m,mode=0700",
  ]]);
  assert.deepEqual(await memory("podman", short, "rw,rprivate,nosuid,nodev,tmpcopyup"), []);
});

Deno.test("The label by which podman-compose names a unit of systemd is no difference", async () => {
  const labels = { PODMAN_SYSTEMD_UNIT: "podman-compose@shop.service", "io.podman.compose.project": "shop" };
  assert.deepEqual(await differences("podman", [], { Config: { Labels: labels } }), []);
  const found = await differences("podman", [], { Config: { Labels: { PODMAN_SYSTEMD_UNITS: "1" } } });
  assert.deepEqual(found.map(([field]) => field), ["labels.PODMAN_SYSTEMD_UNITS"]);
});

Deno.test("The restart policy of deploy wins, its any is always, and one without a condition starts nothing again", async () => {
  const found = async (...lines: string[]) => {
    await using folder = await workspaceFolder({
      "compose.yaml": `services:\n  web:\n    image: shop:1\n${lines.map((one) => `    ${one}\n`).join("")}`,
    });
    const [unit] = (await folder.read()).units as [Unit]; // there is one
    return stateOf(unit, [{ state: "exited", exitCode: 0 } as RunningContainer]); // nothing else is read
  };
  const policy = (text: string) => `deploy: { restart_policy: { ${text} } }`;
  assert.equal(await found(policy("condition: any")), "exited");
  assert.equal(await found(policy("condition: none"), "restart: always"), "completed");
  assert.equal(await found(policy("delay: 5s"), "restart: always"), "completed");
  assert.equal(await found("restart: always"), "exited");
  const lines = ["restart: always", policy("delay: 5s")];
  assert.deepEqual(await differences("docker", lines, {}), []);
});

Deno.test("A limit that the kernel of the engine cannot hold is a remark, so that no plan tries it again and again", async () => {
  let asked = 0;
  const info = { MemoryLimit: true, SwapLimit: false, OomKillDisable: false, PidsLimit: true };
  const engine = (get: () => Promise<unknown>) => ({ name: "one", get }) as unknown as Engine; // asked for no more
  const limits = new UnheldLimits();
  const one = engine(() => Promise.resolve((asked++, info)));
  const unheld = await limits.of(one);
  await limits.of(one);
  assert.equal(asked, 1, "it is remembered");
  assert.deepEqual([...unheld], ["limits.memorySwap", "limits.oomKillDisabled"]);
  assert.deepEqual([...await limits.of(engine(() => Promise.reject(new Error("away"))))], []);

  const lines = ["mem_limit: 64m", "memswap_limit: 96m", "oom_kill_disable: true"];
  const host = { Memory: 64 << 20, MemorySwap: -1, OomKillDisable: null };
  const found = await differences("docker", lines, { HostConfig: host }, "", unheld);
  assert.deepEqual(found.map(([field, , seen]) => [field, seen?.startsWith("remark: ")]), [
    ["limits.memorySwap", true],
    ["limits.oomKillDisabled", true],
  ]);
  const others = await differences("docker", lines, { HostConfig: { ...host, Memory: 0 } }, "", unheld);
  assert.deepEqual(others[0]?.slice(0, 1), ["limits.memory"]);
  assert.ok(!others[0]?.[2]?.startsWith("remark"));
});

Deno.test("An engine is asked for the limits that it can hold only where a file declares one", async () => {
  const asked: string[] = [];
  const runtime = {
    backends: () => [{ name: "one", kind: "docker", address: "tcp://lan:1" }],
    unheldLimits: (backend: string) => Promise.resolve((asked.push(backend), new Set(["limits.memory"]))),
  } as unknown as ContainerRuntime; // asked for no more
  const containers = [{ backend: "one" } as RunningContainer];
  const viewOf = async (lines: string) => {
    await using folder = await workspaceFolder({
      "compose.yaml": `services:\n  web:\n    image: a:1\n${lines}`,
    });
    return (await engineViews(runtime, null, containers, await folder.read()));
  };
  assert.equal((await viewOf("")).of("one").unheld, undefined);
  assert.deepEqual(asked, []);
  const view = await viewOf("    mem_limit: 64m\n");
  assert.deepEqual([...view.of("one").unheld ?? []], ["limits.memory"]);
  assert.match(view.sign, /limits\.memory/);
});

Deno.test("Of several lines of tmpfs for one path the last counts, as with Compose", async () => {
  const lines = ["tmpfs: ['/run', '/run/:size=64m']"];
  const running = (options: string) => ({ HostConfig: { Tmpfs: { "/run": options } } });
  assert.deepEqual(await differences("docker", lines, running("size=64m")), []);
  assert.equal((await differences("docker", lines, running(""))).length, 1);
});
