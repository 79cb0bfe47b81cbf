/** The list of host-reaching facts that every apply of the suite is compared with finds each planted fact. */
import assert from "node:assert/strict";
import { hostReach, type Own, unasked } from "./host_reach.ts";

const OWN: Own = {
  folder: "/w/shop",
  containers: new Set(["mine"]),
  networks: new Set(["shop_default"]),
  volumes: new Set(["shop_data"]),
};

const bind = (Source: string, Propagation = "rprivate") => ({
  Type: "bind",
  Source,
  Destination: "/x",
  Propagation,
});

/** A container of an image alone, as the engine shows it. */
const ORDINARY = {
  HostConfig: { LogConfig: { Type: "json-file", Config: {} }, NetworkMode: "bridge", IpcMode: "private" },
  Config: { Labels: {} },
};

const described = (host: object = {}, mounts: readonly object[] = [], networks: object = {}) => ({
  HostConfig: { LogConfig: { Type: "json-file" }, NetworkMode: "shop_default", IpcMode: "private", ...host },
  Mounts: mounts,
  NetworkSettings: { Networks: networks },
});

Deno.test("Each planted fact of a container that reaches the host is found", () => {
  const reaching = [
    described({ Privileged: true }),
    described({ CapAdd: ["NET_ADMIN"] }),
    described({ Devices: [{}] }),
    described({ DeviceRequests: [{}] }),
    described({ DeviceCgroupRules: ["b 8:* rwm"] }),
    described({ CgroupParent: "/x" }),
    described({ OomScoreAdj: -1 }),
    described({ OomKillDisable: true }),
    described({ SecurityOpt: ["seccomp=unconfined"] }),
    described({ Sysctls: { "vm.swappiness": "1" } }),
    described({ PidMode: "host" }),
    described({ IpcMode: "container:theirs" }),
    described({ NetworkMode: "host" }),
    described({ NetworkMode: "ns:/proc/1/ns/net" }),
    described({ NetworkMode: "theirs_default" }),
    described({ Runtime: "other" }),
    described({ Annotations: { "run.oci.handler": "krun" } }),
    described({ StorageOpt: { size: "1G" } }),
    described({ MaskedPaths: [] }),
    described({ ReadonlyPaths: [] }),
    described({ Links: ["/theirs:/mine/x"] }),
    described({ VolumeDriver: "other" }),
    described({ Isolation: "process" }),
    described({ CpuRealtimeRuntime: 1 }),
    described({ LogConfig: { Type: "json-file", Config: { path: "/etc/x" } } }),
    described({ SomethingNew: "x" }),
    { ...described(), Config: { Labels: { "ofelia.job-local.x.command": "id" } } },
    described({ VolumesFrom: ["theirs:ro"] }),
    described({ LogConfig: { Type: "syslog" } }),
    described({}, [bind("/etc")]),
    described({}, [bind("/w/shopping")]),
    described({}, [bind("/w/shop/x", "rshared")]),
    described({}, [{ Type: "volume", Name: "theirs_data", Destination: "/x" }]),
    described({}, [], { theirs_default: {} }),
  ];
  for (const one of reaching) assert.equal(hostReach(one, OWN, ORDINARY).length, 1, JSON.stringify(one));
});

Deno.test("A container of its own project alone has no such fact", () => {
  const mounts = [bind("/w/shop/data"), { Type: "volume", Name: "shop_data", Destination: "/x" }];
  const host = { PidMode: "container:mine", VolumesFrom: ["mine:ro"], SecurityOpt: ["no-new-privileges"] };
  assert.deepEqual(hostReach(described(host, mounts, { shop_default: {} }), OWN, ORDINARY), []);
});

Deno.test("A fact counts unless the step that made the container asks for the right to it", () => {
  const facts = ["privileged", "network theirs", "volume theirs at /x"];
  assert.deepEqual(unasked(facts, [{ permission: "projects:apply" }]), facts);
  assert.deepEqual(unasked(facts, [{ permission: "networks:write" }]), ["privileged", "volume theirs at /x"]);
  assert.deepEqual(unasked(facts, [{ permission: "projects:host" }]), []);
});
