/** A container as `docker run` makes it of an image of which nothing is known. */
import type { InspectedContainer } from "../../core/runtime.ts";

export type Blank = { -readonly [Key in keyof InspectedContainer]: InspectedContainer[Key] };

const ID = "0".repeat(64);

export function blankContainer(image: string): Blank {
  return {
    ...{ id: ID, name: "", image, imageId: "", backend: "docker", state: "created", health: null },
    ...{ exitCode: null, restartCount: 0, reason: null, healthOutput: null, condition: "created" },
    ...{
      createdAt: "",
      startedAt: null,
      finishedAt: null,
      stopped: null,
      pid: null,
      labels: {},
      compose: null,
    },
    ...{
      ending: { keepsRunning: false, oomKilled: false, byHand: false },
      inherited: [],
      askedMacAddress: null,
      undeclarable: [],
      isSystem: false,
    },
    ...{ command: [], entrypoint: [], env: {}, user: "", workingDir: "", hostname: ID.slice(0, 12) },
    ...{ domainname: "", terminal: false, stdinOpen: false, stopSignal: "", stopTimeoutSeconds: null },
    ...{ init: null, restart: { name: "no", maximumRetries: 0 }, ports: [], exposedPorts: [], mounts: [] },
    ...{ files: [], tmpfs: {}, volumesFrom: [], networks: [], networkMode: "bridge", links: [] },
    ...{ ipcMode: "", pidMode: "", utsMode: "", cgroupMode: "private", userMode: "", cgroupParent: "" },
    ...{ storageOptions: {}, isolation: "default", dns: [], dnsSearch: [], dnsOptions: [], extraHosts: [] },
    ...{ privileged: false, readOnlyRoot: false, capAdd: [], capDrop: [], securityOptions: [], groupAdd: [] },
    ...{ runtime: "runc", sysctls: {}, ulimits: {}, devices: [], deviceRules: [], deviceRequests: [] },
    ...{ annotations: {}, platform: "", log: { driver: "json-file", options: {} }, memoryLimitBytes: null },
    ...{ memoryReservationBytes: null, memorySwapBytes: null, sharedMemoryBytes: null, cpus: null },
    ...{ cpuShares: null, cpuPeriod: null, cpuQuota: null, memorySwappiness: null, blockIo: {}, cpuset: "" },
    ...{
      pidsLimit: null,
      oomScoreAdjustment: 0,
      oomKillDisabled: false,
      healthcheck: null,
      healthTimes: null,
    },
    imageDefaults: {
      ...{ command: [], entrypoint: [], env: {}, labels: {}, user: "", workingDir: "", stopSignal: "" },
      ...{ exposedPorts: [], healthcheck: null, healthTimes: null, volumes: [] },
    },
  };
}
