/** Fields of what a container may use: memory, processors, processes, files. */

import { bytesOf, nanosecondsOf } from "../../artifacts/compose/amounts.ts";
import { amountText } from "../../artifacts/compose/number_text.ts";
import type { Node } from "../../artifacts/artifact.ts";
import { entriesOf, listOf, numberOf, textOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { ContainerSpec, InspectedContainer } from "../../core/runtime.ts";
import type { EngineView } from "./engine_view.ts";
import {
  type Change,
  type Declared,
  type EngineKind,
  keyed,
  nodeAt,
  type Row,
  scalarAt,
  single,
  textAt,
  UNKNOWN,
} from "./field.ts";
import { flag } from "./process.ts";

/** The properties of a container that are amounts. */
type Amount = {
  [Key in keyof ContainerSpec]: number | null extends ContainerSpec[Key] ? Key : never;
}[keyof ContainerSpec];

const amount = (
  key: string,
  property: Amount,
  paths: readonly (readonly string[])[],
  read: (node: Node) => number | null,
  { unit = "", hasDefault, change = "update", untold, seen, otherwise }: {
    readonly unit?: string;
    /** Engines that fill it in without a declaration. */
    readonly hasDefault: "always" | "docker" | "never";
    readonly change?: Change;
    readonly untold?: readonly EngineKind[];
    readonly seen?: (container: InspectedContainer, view: EngineView) => number | null;
    /** Returns true if another field says it. */
    readonly otherwise?: (of: Declared) => boolean;
  },
): Row => {
  const nodeOf = (of: Declared) =>
    paths.map((path) => nodeAt(of, ...path)).find((node) => node !== null) ?? null;
  return single<number | null>({
    key,
    covers: paths.map((path) => path.join(".")),
    change,
    // Compose takes 0 for "not said", and no engine takes a limit back for it.
    declared: (of) => {
      const found = scalarAt<number | null>(nodeOf(of), read);
      return found !== null && found !== UNKNOWN && found.value === 0 ? null : found;
    },
    ...(untold !== undefined && { untold }),
    seen: seen ?? ((container) => container[property]),
    otherwise: (_container, { kind }, of) =>
      otherwise?.(of) !== true && (hasDefault === "always" || (hasDefault === "docker" && kind === "docker"))
        ? null
        : undefined,
    same: (declared, seen, _container, { kind }) =>
      declared === null
        ? hasDefault === "never" || (hasDefault === "docker" && kind !== "docker") || (seen ?? 0) === 0
        // A kernel that cannot limit it makes the engine leave it out.
        : (hasDefault === "never" && seen === null) || Math.abs(declared - (seen ?? 0)) <= 1e-6 ||
          (declared < 0 && isNoLimit(seen)),
    show: (value) => isNoLimit(value) ? "(no limit)" : `${value}${unit}`,
    ask: (asked, value) => asked[property] = value,
  });
};

/** Engines show -1, 0 or nothing, whichever of them was asked for. */
const isNoLimit = (value: number | null): boolean => value === null || value <= 0;

const bytes = (node: Node): number | null => {
  const text = amountText(node);
  return text === null ? null : bytesOf(text);
};

/** A number of them, or a duration. */
const microseconds = (node: Node): number | null => {
  const number = numberOf(node);
  if (number !== null) return number;
  const nanoseconds = nanosecondsOf(textOf(node) ?? "");
  return nanoseconds === null ? null : nanoseconds / 1e3;
};

const limits = (key: string) => ["deploy", "resources", "limits", key];
const inBytes = " bytes";

const cpuset = single({
  key: "limits.cpuset",
  covers: ["cpuset"],
  change: "update",
  declared: textAt("cpuset"),
  seen: (container) => container.cpuset,
  otherwise: () => "",
  show: (text) => text || "(all)",
  ask: (asked, value) => asked.cpuset = value,
});

const oomScore = single({
  key: "limits.oomScoreAdjustment",
  covers: ["oom_score_adj"],
  declared: (of) => scalarAt(nodeAt(of, "oom_score_adj"), numberOf),
  seen: (container) => container.oomScoreAdjustment,
  otherwise: () => 0,
  ask: (asked, value) => asked.oomScoreAdjustment = value,
});

const ulimits = keyed<{ readonly soft: number; readonly hard: number }>({
  key: "ulimits",
  covers: ["ulimits"],
  declared: (of) => {
    const node = nodeAt(of, "ulimits");
    if (node === null) return null;
    const value: Record<string, { soft: number; hard: number }> = {};
    const parts = new Map<string, Node>();
    for (const [name, { value: limit }] of entriesOf(node)) {
      const soft = numberOf(limit) ?? numberOf(valueAt(limit, "soft"));
      const hard = numberOf(limit) ?? numberOf(valueAt(limit, "hard"));
      if (soft === null || hard === null) return UNKNOWN;
      value[name] = { soft, hard };
      parts.set(name, limit);
    }
    return { value, at: node, parts };
  },
  seen: (container) => container.ulimits,
  // Podman's own settings give every container some.
  isExtra: (_name, _limit, _container, { kind }) => kind === "docker",
  show: ({ soft, hard }) => soft === hard ? String(soft) : `${soft}:${hard}`,
  ask: (asked, value) => asked.ulimits = value,
});

/** The limits of block devices, by their keys. */
const BLOCK_IO = [
  ["weight_device", "weight", "weight"],
  ["device_read_bps", "readBps", "rate"],
  ["device_read_iops", "readIops", "rate"],
  ["device_write_bps", "writeBps", "rate"],
  ["device_write_iops", "writeIops", "rate"],
] as const;

/** A row of some of these. */
const blockIo = (
  key: string,
  lists: readonly (typeof BLOCK_IO)[number][],
  { covers = [], untold }: { readonly covers?: readonly string[]; readonly untold: readonly EngineKind[] },
): Row =>
  keyed<number>({
    key,
    covers: [
      ...covers,
      ...lists.flatMap(([key, , amount]) => ["path", amount].map((part) => `blkio_config.${key}.*.${part}`)),
    ],
    untold,
    declared: (of) => {
      const node = nodeAt(of, "blkio_config");
      if (node === null) return null;
      const value: Record<string, number> = {};
      const parts = new Map<string, Node>();
      const weightAt = covers.length === 0 ? null : nodeAt(of, "blkio_config", "weight");
      const weight = scalarAt(weightAt, numberOf);
      if (weight === UNKNOWN) return UNKNOWN;
      if (weight !== null) {
        value["weight"] = weight.value;
        parts.set("weight", weightAt!); // it was read
      }
      for (const [key, name, amount] of lists) {
        for (const item of listOf(nodeAt(of, "blkio_config", key))) {
          const path = textOf(valueAt(item, "path"));
          const at = valueAt(item, amount);
          const number = at === null ? null : amount === "rate" ? bytes(at) : numberOf(at);
          if (path === null || number === null) return UNKNOWN;
          value[`${name} ${path}`] = number;
          parts.set(`${name} ${path}`, item);
        }
      }
      return parts.size === 0 ? null : { value, at: node, parts };
    },
    seen: (container) => container.blockIo,
    isExtra: (name) => lists.some(([, one]) => name.startsWith(`${one} `)),
    show: String,
    absent: "(no limit)",
    ask: (asked, value) => asked.blockIo = { ...asked.blockIo, ...value },
  });

const [WEIGHTS, ...RATES] = BLOCK_IO;

export const limitRows: readonly Row[] = [
  amount("limits.memory", "memoryLimitBytes", [limits("memory"), ["mem_limit"]], bytes, {
    unit: inBytes,
    hasDefault: "always",
  }),
  amount(
    "limits.memoryReservation",
    "memoryReservationBytes",
    [["deploy", "resources", "reservations", "memory"], ["mem_reservation"]],
    bytes,
    { unit: inBytes, hasDefault: "always" },
  ),
  // Engines make it twice the memory where nobody asks.
  amount("limits.memorySwap", "memorySwapBytes", [["memswap_limit"]], bytes, {
    unit: inBytes,
    hasDefault: "never",
  }),
  amount("limits.sharedMemory", "sharedMemoryBytes", [["shm_size"]], bytes, {
    unit: inBytes,
    hasDefault: "never",
    change: "recreate",
  }),
  amount("limits.cpus", "cpus", [limits("cpus"), ["cpus"]], numberOf, {
    hasDefault: "always",
    // A quota is a share of processors, too.
    seen: (container) => container.cpuQuota !== null ? null : container.cpus,
    otherwise: (of) => nodeAt(of, "cpu_quota") !== null,
  }),
  amount("limits.cpuShares", "cpuShares", [["cpu_shares"]], numberOf, { hasDefault: "always" }),
  amount("limits.cpuPeriod", "cpuPeriod", [["cpu_period"]], microseconds, {
    hasDefault: "always",
    untold: ["podman"],
  }),
  amount("limits.cpuQuota", "cpuQuota", [["cpu_quota"]], microseconds, {
    hasDefault: "always",
    untold: ["podman"],
  }),
  amount("limits.memorySwappiness", "memorySwappiness", [["mem_swappiness"]], numberOf, {
    hasDefault: "never",
    change: "recreate",
  }),
  blockIo("limits.blockIo", RATES, { untold: ["podman"] }),
  // On a kernel without weights, engines leave them out.
  blockIo("limits.blockIoWeight", [WEIGHTS], {
    covers: ["blkio_config.weight"],
    untold: ["docker", "podman"],
  }),
  cpuset,
  amount("limits.pids", "pidsLimit", [limits("pids"), ["pids_limit"]], numberOf, { hasDefault: "docker" }),
  oomScore,
  flag("limits.oomKillDisabled", "oom_kill_disable", "oomKillDisabled"),
  ulimits,
];
