/** Measures one engine's disk usage with its `/system/df`. */
import * as z from "../../../core/schema.ts";
import { imageIdOf, stateOf } from "../../../engines/rows/container.ts";
import type { Engine } from "../../../engines/calls/engine.ts";
import { at } from "../../../engines/calls/path.ts";
import {
  flagOf,
  listOf,
  numberOf,
  objectOf,
  textOf,
  textsOf,
  timeOf,
  type Wire,
} from "../../../engines/calls/wire.ts";

export const USAGE_TYPES = ["images", "containers", "volumes", "buildCache"] as const;
export type UsageType = typeof USAGE_TYPES[number];

export const UsageItem = z.object({
  id: z.string().describe("Its id"),
  name: z.string().describe("Its name"),
  size: z.int().describe("Bytes that go when it goes"),
  active: z.boolean().describe("True if it is in use"),
  createdAt: z.string().nullable().describe("When it was made"),
  backend: z.string().describe("The engine it is on, by name"),
}).meta({ id: "UsageItem" });
export type UsageItem = Readonly<z.infer<typeof UsageItem>>;

interface Usage {
  readonly items: readonly UsageItem[];
  /** Less than the sum of the items if they share layers. */
  readonly size: number;
  readonly reclaimable: number;
}

export interface Measurement {
  readonly measuredAt: string;
  readonly usage: Readonly<Record<UsageType, Usage>>;
}

/** Engines take seconds to measure, minutes on slow disks. */
const MEASURING_MS = 120_000;

export async function measure(engine: Engine, signal: AbortSignal): Promise<Measurement> {
  const answer = objectOf(
    await engine.get(at`/system/df`, {
      doing: `measure the disk usage of engine "${engine.name}"`,
      firstByteMs: MEASURING_MS,
      signal,
    }),
  );
  return measurementOf(answer, engine.name, new Date());
}

function measurementOf(answer: Wire, backend: string, now: Date): Measurement {
  const read = (list: unknown, item: (wire: Wire) => Omit<UsageItem, "backend">) =>
    listOf(list).map((one) => ({ ...item(objectOf(one)), backend })).filter(({ id }) => id !== "");
  const images = read(answer.Images, imageItem);
  return {
    measuredAt: now.toISOString(),
    usage: {
      images: imageUsage(images, atLeast0(answer.LayersSize)),
      containers: total(read(answer.Containers, containerItem)),
      volumes: total(read(answer.Volumes, volumeItem)),
      buildCache: total(read(answer.BuildCache, cacheItem)),
    },
  };
}

/** Docker counts shared layers once in `LayersSize`; Podman 4 leaves it at 0. */
function imageUsage(items: UsageItem[], layers: number): Usage {
  const whole = total(items);
  const used = whole.size - whole.reclaimable;
  return layers === 0 ? whole : { items, size: layers, reclaimable: Math.max(0, layers - used) };
}

function total(items: UsageItem[]): Usage {
  const size = (some: UsageItem[]) => some.reduce((sum, item) => sum + item.size, 0);
  return { items, size: size(items), reclaimable: size(items.filter(({ active }) => !active)) };
}

function imageItem(wire: Wire): Omit<UsageItem, "backend"> {
  const id = imageIdOf(textOf(wire.Id));
  const [tag] = textsOf(wire.RepoTags).filter((name) => !name.startsWith("<none>"));
  return {
    id,
    name: tag ?? id,
    size: Math.max(0, atLeast0(wire.Size) - atLeast0(wire.SharedSize)),
    active: numberOf(wire.Containers) > 0,
    createdAt: timeOf(wire.Created),
  };
}

function containerItem(wire: Wire): Omit<UsageItem, "backend"> {
  const [name] = textsOf(wire.Names);
  const state = stateOf(textOf(wire.State));
  return {
    id: textOf(wire.Id),
    name: (name ?? "").replace(/^\//, ""),
    size: atLeast0(wire.SizeRw),
    active: state === "running" || state === "paused" || state === "restarting",
    createdAt: timeOf(wire.Created),
  };
}

function volumeItem(wire: Wire): Omit<UsageItem, "backend"> {
  const name = textOf(wire.Name);
  const usage = objectOf(wire.UsageData);
  return {
    id: name,
    name,
    size: atLeast0(usage.Size),
    active: numberOf(usage.RefCount) > 0,
    createdAt: timeOf(wire.CreatedAt),
  };
}

function cacheItem(wire: Wire): Omit<UsageItem, "backend"> {
  return {
    id: textOf(wire.ID) || textOf(wire.Id),
    name: textOf(wire.Description).slice(0, 256) || textOf(wire.Type),
    size: flagOf(wire.Shared) ? 0 : atLeast0(wire.Size),
    active: flagOf(wire.InUse),
    createdAt: timeOf(wire.CreatedAt),
  };
}

/** Engines write -1 for "not measured". */
function atLeast0(value: unknown): number {
  return Math.max(0, Math.trunc(numberOf(value)));
}
