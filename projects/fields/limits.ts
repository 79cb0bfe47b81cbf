/** Fields of what a container may use: memory, processors, processes, files. */

import { bytesOf } from "../../artifacts/compose/amounts.ts";
import type { Node } from "../../artifacts/artifact.ts";
import { entriesOf, numberOf, textOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { ContainerSpec } from "../../core/runtime.ts";
import {
  type Change,
  type Declared,
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
  { unit = "", hasDefault, change = "update" }: {
    readonly unit?: string;
    /** Whether engines leave it empty where nobody asks. */
    readonly hasDefault: "always" | "docker" | "never";
    readonly change?: Change;
  },
): Row => {
  const nodeOf = (of: Declared) =>
    paths.map((path) => nodeAt(of, ...path)).find((node) => node !== null) ?? null;
  return single<number | null>({
    key,
    covers: paths.map((path) => path.join(".")),
    change,
    // Compose takes 0 for "not said".
    declared: (of) => {
      const found = scalarAt<number | null>(nodeOf(of), read);
      return found !== null && found !== UNKNOWN && found.value === 0 ? { ...found, value: null } : found;
    },
    seen: (container) => container[property],
    otherwise: (_container, { kind }) =>
      hasDefault === "always" || (hasDefault === "docker" && kind === "docker") ? null : undefined,
    same: (declared, seen, _container, { kind }) =>
      declared === null
        ? hasDefault === "never" || (hasDefault === "docker" && kind !== "docker") || (seen ?? 0) === 0
        : Math.abs(declared - (seen ?? 0)) <= 1e-6,
    show: (value) => value === null || value === 0 ? "(no limit)" : `${value}${unit}`,
    ask: (asked, value) => asked[property] = value,
  });
};

const bytes = (node: Node): number | null => {
  const text = textOf(node);
  return text === null ? null : bytesOf(text);
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
  amount("limits.cpus", "cpus", [limits("cpus"), ["cpus"]], numberOf, { hasDefault: "always" }),
  amount("limits.cpuShares", "cpuShares", [["cpu_shares"]], numberOf, { hasDefault: "always" }),
  cpuset,
  amount("limits.pids", "pidsLimit", [limits("pids"), ["pids_limit"]], numberOf, { hasDefault: "docker" }),
  oomScore,
  flag("limits.oomKillDisabled", "oom_kill_disable", "oomKillDisabled"),
  ulimits,
];
