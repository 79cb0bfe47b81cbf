/** Newer images by project: each reference of its units, and how what runs stands to its registry. */
import * as z from "../core/schema.ts";
import { Location } from "../artifacts/location.ts";
import { locationOf } from "../artifacts/position.ts";
import { readReference, textOfReference } from "../core/image_reference.ts";
import type { ContainerRuntime, RunningContainer } from "../core/runtime.ts";
import { MASK } from "../core/secrets.ts";
import type { FailedUpdate, UpdatedProject } from "../core/updates.ts";
import type { NewerOf } from "../projects/plan/scene.ts";
import { platformsOf } from "../projects/updates/checker.ts";
import { VERSION_STEPS } from "../projects/updates/versions.ts";
import { imageKey, UPDATE_STATES, type UpdateFacts, updateOf } from "../projects/updates/unit_update.ts";
import { coolsUntil, failureKey, type KnownUpdates, projectKey } from "../projects/updates/updates.ts";
import type { ComparedProject } from "./compared.ts";

const time = z.iso.datetime().nullable();

const Failed = z.object({
  at: z.iso.datetime().describe("When its container went back to the old image"),
  reason: z.string().describe("The reason"),
  apply: z.string().describe("The id of the apply"),
}).meta({ id: "FailedUpdate" });

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
  failed: Failed.nullable().describe(
    "The last try, where its container went back: an update takes it again only where its service is named; null otherwise",
  ),
}).meta({ id: "UpdateCandidate" });

export const UpdateState = z.enum(UPDATE_STATES).meta({ id: "UpdateState" });

export const UpdateItem = z.object({
  reference: z.string().describe("The image in full, with registry and tag"),
  project: z.string().describe("The project's id"),
  units: z.array(z.string()).describe("The units that it is written for, by their names"),
  location: Location.describe("The place of the first one's image"),
  containers: z.int().describe("Number of their containers, running or not"),
  services: z.int().describe(
    "Number of the services of a swarm that they run as; berth updates none of those",
  ),
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
  back: z.object({
    reference: z.string().describe("The image that runs again; `POST /api/updates/propose` takes it"),
    failed: Failed.describe("The try of what the file says"),
  }).meta({ id: "UpdateBack" }).nullable().describe(
    "The way back where the image that the file says went back to the one before; null otherwise",
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
  const services = isEmpty ? [] : runtime.services?.().items ?? [];
  const pinned = new Map(services.map(({ service: { id, image, digest } }) => [id, { image, digest }]));
  const from = [
    ...images.flatMap(({ id, backend, digests, source }) => [id, backend, digests, source]),
    JSON.stringify([[...platforms], [...pinned]]),
  ];
  const last = lastFacts.get(known);
  if (last?.from.length === from.length && last.from.every((it, at) => it === from[at])) return last.facts;
  const facts: UpdateFacts = {
    isEnabled: known.enabled,
    checks: known.checks,
    images: new Map(images.map((one) => [imageKey(one.backend, one.id), one])),
    platforms,
    pinned,
  };
  lastFacts.set(known, { from, facts });
  return facts;
}

/** Returns the newer image of each unit, for a plan. */
export async function newerImages(
  runtime: ContainerRuntime,
  known: KnownUpdates,
  of: UpdatedProject,
  now: number,
): Promise<NewerOf> {
  const facts = await updateFacts(runtime, known);
  return (unit, containers) => {
    const update = updateOf(unit, containers, facts);
    if (update === null || update.digest === null || update.firstSeen === null) return null;
    const isHeld = coolsUntil(known, of, update.firstSeen) > now ||
      known.failures.has(failureKey(of, unit.id, update.digest));
    return { digest: update.digest, isHeld };
  };
}

interface Remembered {
  /** Other ones after each change of what is known. */
  readonly facts: UpdateFacts;
  /** When the first of them has cooled down. */
  readonly until: number;
  readonly items: readonly UpdateItem[];
}

const remembered = new WeakMap<ComparedProject, Remembered>();

/** Returns one item for each reference of a project: the same ones while nothing changed. */
export function updatesOf(
  project: ComparedProject,
  facts: UpdateFacts,
  known: KnownUpdates,
  now: number,
): readonly UpdateItem[] {
  const last = remembered.get(project);
  if (last?.facts === facts && now < last.until) return last.items;
  const items = itemsOf(project, facts, known, now);
  const times = items.flatMap(({ candidates }) =>
    candidates.flatMap(({ coolsUntil }) => coolsUntil === null ? [] : Date.parse(coolsUntil))
  );
  remembered.set(project, { facts, until: Math.min(Infinity, ...times), items });
  return items;
}

function itemsOf(
  { workspace, group, units, containers }: ComparedProject,
  facts: UpdateFacts,
  known: KnownUpdates,
  now: number,
): UpdateItem[] {
  const of = { workspace: workspace.id, group: group.name };
  const project = projectKey(of);
  const byKey = new Map(containers.map((one) => [imageKey(one.backend, one.id), one]));
  const items = new Map<string, UpdateItem & { units: string[]; containers: number; services: number }>();
  for (const unit of group.units) {
    const compared = units.find(({ id }) => id === unit.id);
    // A secret in an image has no version to look for.
    if (compared?.resolved?.includes(MASK)) continue;
    const own = compared?.containers ?? [];
    const running = own.flatMap(({ backend, id }) => byKey.get(imageKey(backend, id)) ?? []);
    const update = updateOf(unit, running, facts, compared?.service);
    if (update === null) continue;
    const { reference, checkedAt, until, state, reason, current, versionsReason } = update;
    const failedOf = (digest: string) => known.failures.get(failureKey(of, unit.id, digest)) ?? null;
    const candidates = candidatesOf(update, failedOf, (firstSeen) => coolsUntil(known, of, firstSeen), now);
    const back = backOf(known.failures.get(failureKey(of, unit.id, reference)), reference, running);
    const tried = candidates.map(({ failed }) => failed !== null);
    const services = compared?.service === undefined ? 0 : 1;
    const key = `${reference} ${state} ${tried} ${back?.reference} ${services}`;
    const before = items.get(key);
    if (before !== undefined) {
      before.units.push(unit.label);
      before.containers += own.length;
      before.services += services;
      continue;
    }
    items.set(key, {
      reference,
      project,
      units: [unit.label],
      containers: own.length,
      services,
      location: locationOf(unit.service?.imageAt ?? unit.source),
      state,
      reason,
      current,
      checkedAt: timeText(checkedAt),
      until: timeText(until),
      candidates,
      versionsReason,
      back,
    });
  }
  return [...items.values()];
}

/** Returns the image that all containers run again in place of the one in the file, which failed. */
function backOf(
  failure: FailedUpdate | undefined,
  declared: string,
  containers: readonly RunningContainer[],
): UpdateItem["back"] {
  if (failure === undefined) return null;
  const [running, ...others] = new Set(
    containers.map(({ image }) => readReference(image)).map((read) =>
      read === null || read.digest !== null ? null : textOfReference(read)
    ),
  );
  const name = declared.slice(0, declared.lastIndexOf(":") + 1);
  if (running === undefined || running === null || others.length > 0 || running === declared) return null;
  return running.startsWith(name) ? { reference: running, failed: failedText(failure) } : null;
}

const failedText = ({ at, reason, apply }: FailedUpdate) => ({
  at: new Date(at).toISOString(),
  reason,
  apply,
});

/** Returns the images that could run instead: what the tag stands for now, and newer versions of it. */
function candidatesOf(
  { reference, digest, firstSeen, versions, notes }: NonNullable<ReturnType<typeof updateOf>>,
  failedOf: (digest: string) => FailedUpdate | null,
  until: (firstSeen: number) => number,
  now: number,
): UpdateItem["candidates"] {
  const name = reference.slice(0, reference.lastIndexOf(":"));
  const seen = (digest: string, at: number) => {
    const failed = failedOf(digest);
    return {
      digest,
      firstSeen: new Date(at).toISOString(),
      coolsUntil: until(at) > now ? timeText(until(at)) : null,
      notes,
      failed: failed === null ? null : failedText(failed),
    };
  };
  return [
    ...(digest === null || firstSeen === null
      ? []
      : [{ kind: "digest", reference: `${name}@${digest}`, ...seen(digest, firstSeen) } as const]),
    ...versions.map(({ tag, step, digest, firstSeen }) =>
      ({ kind: "tag", step, reference: `${name}:${tag}`, ...seen(digest, firstSeen) }) as const
    ),
  ];
}

/** Returns how many units have a newer image whose cool-down is over. */
export function newerIn(items: readonly UpdateItem[]): number {
  return items.filter(isReady).reduce((sum, { units }) => sum + units.length, 0);
}

const isReady = ({ state, candidates }: UpdateItem): boolean =>
  state === "newer" &&
  candidates.some(({ kind, coolsUntil, failed }) =>
    kind === "digest" && coolsUntil === null && failed === null
  );

const timeText = (ms: number | null): string | null => ms === null ? null : new Date(ms).toISOString();
