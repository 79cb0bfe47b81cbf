/** Writes what a container may use: memory, processors, processes, files. */

import type { Yaml } from "../../artifacts/yaml/write.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { flag } from "./write_process.ts";
import { bytesText, keyOf, type Writer } from "./writing.ts";

type Amount =
  | "memoryLimitBytes"
  | "memoryReservationBytes"
  | "cpuShares"
  | "cpuPeriod"
  | "cpuQuota"
  | "pidsLimit";

const bytes = (key: string, property: Amount): Writer => (container) =>
  container[property] === null ? null : { [key]: bytesText(container[property]) };

const number = (key: string, property: Amount): Writer => (container) => keyOf(key, container[property]);

/** Engines make it twice the memory where nobody asks. */
const memorySwap: Writer = ({ memorySwapBytes: swap, memoryLimitBytes: memory }) =>
  swap === null || swap === 2 * (memory ?? 0) ? null : { memswap_limit: bytesText(swap) };

/** The sizes that Docker and Podman give by themselves. */
const SHARED: readonly number[] = [67_108_864, 65_536_000];

const sharedMemory: Writer = ({ sharedMemoryBytes: size }) =>
  size === null || SHARED.includes(size) ? null : { shm_size: bytesText(size) };

/** A quota is a share of processors, too, and engines refuse both in one container. */
const cpus: Writer = ({ cpus, cpuQuota }) => cpus === null || cpuQuota !== null ? null : { cpus };

/** Podman tells 0 and -1 where nobody asked. */
const memorySwappiness: Writer = ({ memorySwappiness: value }, { kind }) =>
  value === null || value < 0 || (kind === "podman" && value === 0) ? null : { mem_swappiness: value };

const LISTS = [
  ["device_read_bps", "readBps"],
  ["device_read_iops", "readIops"],
  ["device_write_bps", "writeBps"],
  ["device_write_iops", "writeIops"],
] as const;

/** The entries of one list of block devices. */
function devicesIn(blockIo: InspectedContainer["blockIo"], name: string, amount: string): Yaml[] {
  return Object.entries(blockIo).flatMap(([key, value]) =>
    key.startsWith(`${name} `) ? [{ path: key.slice(name.length + 1), [amount]: value }] : []
  );
}

const blockIo: Writer = ({ blockIo }) => {
  const lists = LISTS.map(([key, name]) => [key, devicesIn(blockIo, name, "rate")] as const);
  return keyOf("blkio_config", Object.fromEntries(lists.filter(([, list]) => list.length > 0)));
};

const blockIoWeight: Writer = ({ blockIo }) => {
  const weight = blockIo["weight"];
  const devices = devicesIn(blockIo, "weight", "weight");
  return keyOf("blkio_config", {
    ...(weight !== undefined && { weight }),
    ...(devices.length > 0 && { weight_device: devices }),
  });
};

const ulimits: Writer = ({ ulimits }) =>
  keyOf(
    "ulimits",
    Object.fromEntries(
      Object.entries(ulimits).map((
        [name, { soft, hard }],
      ) => [name, soft === hard ? soft : { soft, hard }]),
    ),
  );

export const limitWriters: Readonly<Record<string, Writer>> = {
  "limits.memory": bytes("mem_limit", "memoryLimitBytes"),
  "limits.memoryReservation": bytes("mem_reservation", "memoryReservationBytes"),
  "limits.memorySwap": memorySwap,
  "limits.sharedMemory": sharedMemory,
  "limits.cpus": cpus,
  "limits.cpuShares": number("cpu_shares", "cpuShares"),
  "limits.cpuPeriod": number("cpu_period", "cpuPeriod"),
  "limits.cpuQuota": number("cpu_quota", "cpuQuota"),
  "limits.memorySwappiness": memorySwappiness,
  "limits.blockIo": blockIo,
  "limits.blockIoWeight": blockIoWeight,
  "limits.cpuset": ({ cpuset }) => keyOf("cpuset", cpuset),
  "limits.pids": number("pids_limit", "pidsLimit"),
  "limits.oomScoreAdjustment": ({ oomScoreAdjustment: score }) =>
    score === 0 ? null : { oom_score_adj: score },
  "limits.oomKillDisabled": flag("oom_kill_disable", "oomKillDisabled"),
  ulimits,
};
