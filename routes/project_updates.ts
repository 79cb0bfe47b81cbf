/** Newer images by project: each reference of its units, and how what runs stands to its registry. */
import { z } from "zod";
import { Location } from "../artifacts/location.ts";
import { locationOf } from "../artifacts/position.ts";
import type { ContainerRuntime } from "../core/runtime.ts";
import type { NewerOf } from "../projects/plan/scene.ts";
import { platformsOf } from "../projects/updates/checker.ts";
import { VERSION_STEPS } from "../projects/updates/versions.ts";
import { imageKey, UPDATE_STATES, type UpdateFacts, updateOf } from "../projects/updates/unit_update.ts";
import type { KnownUpdates } from "../projects/updates/updates.ts";
import type { ComparedProject } from "./compared.ts";

const DAY_MS = 86_400_000;

const time = z.iso.datetime().nullable();

const Candidate = z.object({
  kind: z.enum(["digest", "tag"]).describe(
    "`digest`: the same tag, which stands for another image now; `tag`: a newer version, which takes a change of the file",
  ),
  step: z.enum(VERSION_STEPS).optional().describe(
    "The first part that differs; a `major` version is listed, and counts nowhere. Absent for a digest",
  ),
  reference: z.string().describe("The image by its digest, or with the newer tag"),
  digest: z.string().describe("The digest that the registry has under the tag"),
  firstSeen: z.iso.datetime().describe("When berth first saw it"),
  coolsUntil: time.describe("The end of its cool-down; null once that is over"),
  notes: z.string().nullable().describe(
    "The address of its release notes or source, as the image's labels tell",
  ),
}).meta({ id: "UpdateCandidate" });

export const UpdateState = z.enum(UPDATE_STATES).meta({ id: "UpdateState" });

export const UpdateItem = z.object({
  reference: z.string().describe("The image in full, with registry and tag"),
  project: z.string().describe("The project's id"),
  units: z.array(z.string()).describe("The units that it is written for, by their names"),
  location: Location.describe("The place of the first one's image"),
  containers: z.int().describe("Number of their containers, running or not"),
  state: UpdateState.describe(
    "`newer`: the tag stands for another image than the one that runs; `gone`, `refused` and `limited` are answers of " +
      "the registry; `unknown` has a reason",
  ),
  reason: z.string().nullable().describe("The reason of a state that is neither `newer` nor `current`"),
  current: z.string().nullable().describe("The digest that runs; null where no registry knows it"),
  checkedAt: time.describe("When the registry was last asked"),
  until: time.describe("Until when the registry wants to be left alone"),
  candidates: z.array(Candidate).describe("The images that could run instead, the nearest first"),
  versionsReason: z.string().nullable().describe(
    "The reason that newer versions of the tag are not known, or not all of them",
  ),
}).meta({ id: "UpdateItem" });
export type UpdateItem = z.input<typeof UpdateItem>;

/** The facts of the last time, by what is known of references. */
const lastFacts = new WeakMap<
  KnownUpdates,
  { readonly from: readonly unknown[]; readonly facts: UpdateFacts }
>();

/** Returns the facts: the same object while none changed. */
export async function updateFacts(
  runtime: ContainerRuntime | null,
  known: KnownUpdates,
): Promise<UpdateFacts> {
  const isEmpty = runtime === null || !known.enabled;
  const images = isEmpty ? [] : await runtime.images();
  const platforms = isEmpty ? new Map<string, string>() : platformsOf(runtime);
  const from = [
    ...images.flatMap(({ id, backend, digests, source }) => [id, backend, digests, source]),
    JSON.stringify([...platforms]),
  ];
  const last = lastFacts.get(known);
  if (last?.from.length === from.length && last.from.every((it, at) => it === from[at])) return last.facts;
  const facts: UpdateFacts = {
    isEnabled: known.enabled,
    checks: known.checks,
    images: new Map(images.map((one) => [imageKey(one.backend, one.id), one])),
    platforms,
  };
  lastFacts.set(known, { from, facts });
  return facts;
}

/** Returns the newer image of each unit, for a plan. */
export async function newerImages(
  runtime: ContainerRuntime,
  known: KnownUpdates,
  now: number,
): Promise<NewerOf> {
  const facts = await updateFacts(runtime, known);
  return (unit, containers) => {
    const update = updateOf(unit, containers, facts);
    if (update === null || update.digest === null || update.firstSeen === null) return null;
    return { digest: update.digest, isCooling: update.firstSeen + known.coolDownDays * DAY_MS > now };
  };
}

interface Cooling {
  readonly coolDownDays: number;
  readonly now: number;
}

interface Remembered {
  readonly facts: UpdateFacts;
  readonly coolDownDays: number;
  /** When the first of them has cooled down. */
  readonly until: number;
  readonly items: readonly UpdateItem[];
}

const remembered = new WeakMap<ComparedProject, Remembered>();

/** Returns one item for each reference of a project: the same ones while nothing changed. */
export function updatesOf(
  project: ComparedProject,
  facts: UpdateFacts,
  cooling: Cooling,
): readonly UpdateItem[] {
  const { coolDownDays, now } = cooling;
  const known = remembered.get(project);
  const holds = known?.facts === facts && known.coolDownDays === coolDownDays && now < known.until;
  if (holds) return known.items;
  const items = itemsOf(project, facts, cooling);
  const times = items.flatMap(({ candidates }) =>
    candidates.flatMap(({ coolsUntil }) => coolsUntil === null ? [] : Date.parse(coolsUntil))
  );
  remembered.set(project, { facts, coolDownDays, until: Math.min(Infinity, ...times), items });
  return items;
}

function itemsOf(
  { workspace, group, units, containers }: ComparedProject,
  facts: UpdateFacts,
  { coolDownDays, now }: Cooling,
): UpdateItem[] {
  const project = `${group.name}@${workspace.id}`;
  const byKey = new Map(containers.map((one) => [imageKey(one.backend, one.id), one]));
  const items = new Map<string, UpdateItem & { units: string[]; containers: number }>();
  for (const unit of group.units) {
    const own = units.find(({ id }) => id === unit.id)?.containers ?? [];
    const update = updateOf(
      unit,
      own.flatMap(({ backend, id }) => byKey.get(imageKey(backend, id)) ?? []),
      facts,
    );
    if (update === null) continue;
    const { reference, checkedAt, until, state, reason, current, versionsReason } = update;
    const known = items.get(`${reference} ${state}`);
    if (known !== undefined) {
      known.units.push(unit.label);
      known.containers += own.length;
      continue;
    }
    items.set(`${reference} ${state}`, {
      reference,
      project,
      units: [unit.label],
      containers: own.length,
      location: locationOf(unit.service?.imageAt ?? unit.source),
      state,
      reason,
      current,
      checkedAt: timeText(checkedAt),
      until: timeText(until),
      candidates: candidatesOf(update, (firstSeen) => firstSeen + coolDownDays * DAY_MS, now),
      versionsReason,
    });
  }
  return [...items.values()];
}

/** Returns the images that could run instead: what the tag stands for now, and newer versions of it. */
function candidatesOf(
  { reference, digest, firstSeen, versions, notes }: NonNullable<ReturnType<typeof updateOf>>,
  coolsUntil: (firstSeen: number) => number,
  now: number,
): UpdateItem["candidates"] {
  const name = reference.slice(0, reference.lastIndexOf(":"));
  const seen = (at: number) => ({
    firstSeen: new Date(at).toISOString(),
    coolsUntil: coolsUntil(at) > now ? timeText(coolsUntil(at)) : null,
    notes,
  });
  return [
    ...(digest === null || firstSeen === null
      ? []
      : [{ kind: "digest", reference: `${name}@${digest}`, digest, ...seen(firstSeen) } as const]),
    ...versions.map(({ tag, step, digest, firstSeen }) =>
      ({ kind: "tag", step, reference: `${name}:${tag}`, digest, ...seen(firstSeen) }) as const
    ),
  ];
}

/** Returns how many units have a newer image whose cool-down is over. */
export function newerIn(items: readonly UpdateItem[]): number {
  return items.filter(isReady).reduce((sum, { units }) => sum + units.length, 0);
}

const isReady = ({ state, candidates }: UpdateItem): boolean =>
  state === "newer" && candidates.some(({ kind, coolsUntil }) => kind === "digest" && coolsUntil === null);

const timeText = (ms: number | null): string | null => ms === null ? null : new Date(ms).toISOString();
