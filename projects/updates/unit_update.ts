/** How the image of one unit stands to what its registry has. */
import type { Unit } from "../../artifacts/artifact.ts";
import type { UnitService as LiveService } from "../../artifacts/live/live.ts";
import { nameOf, readReference, type Reference, textOfReference } from "../../core/image_reference.ts";
import type { HeldImage } from "../../core/held_objects.ts";
import type { RunningContainer } from "../../core/runtime.ts";
import { urlSafe } from "./source_link.ts";
import type { Checked, CheckedVersions } from "./checked.ts";

export const UPDATE_STATES = ["newer", "current", "gone", "refused", "limited", "unknown"] as const;
type UpdateState = typeof UPDATE_STATES[number];

interface UnitUpdate {
  /** In full, with registry and tag. */
  readonly reference: string;
  readonly state: UpdateState;
  /** The reason of a state that is neither `newer` nor `current`. */
  readonly reason: string | null;
  /** The digest that runs, as its registry knows it. */
  readonly current: string | null;
  /** The newer digest; null for none. */
  readonly digest: string | null;
  readonly firstSeen: number | null;
  readonly checkedAt: number | null;
  readonly until: number | null;
  /** The address of its release notes, or of its source. */
  readonly notes: string | null;
  /** Newer versions of its tag. */
  readonly versions: CheckedVersions["found"];
  /** The reason that they are not known, or not all of them; null where nothing is missing. */
  readonly versionsReason: string | null;
}

/** All that is known for telling. */
export interface UpdateFacts {
  readonly isEnabled: boolean;
  readonly checks: ReadonlyMap<string, Checked>;
  /** By engine and id. */
  readonly images: ReadonlyMap<string, HeldImage>;
  /** By engine. */
  readonly platforms: ReadonlyMap<string, string>;
  /** The images of services of swarms, by the ids of the services. */
  readonly pinned: ReadonlyMap<string, PinnedImage>;
}

interface PinnedImage {
  /** Without its digest. */
  readonly image: string;
  /** The digest that it is pinned to; null for one that is not. */
  readonly digest: string | null;
}

/** The service of a swarm that a unit runs as. */
type UpdatedService = Pick<LiveService, "id" | "staleSince">;

export const imageKey = (backend: string, id: string): string => `${backend} ${id}`;

/** Returns the reference of a unit's image; null for one that is built, pinned, not known, or of no registry. */
export function referenceOf({ service }: Unit): Reference | null {
  if (service === null || service.build || service.image === null) return null;
  const reference = readReference(service.image);
  if (reference === null || reference.digest !== null || reference.tag === null) return null;
  return reference.registry === "localhost" ? null : reference;
}

/** Null for a unit without an image that a registry could have anew. A `service` runs in place of containers. */
export function updateOf(
  unit: Unit,
  containers: readonly RunningContainer[],
  facts: UpdateFacts,
  service?: UpdatedService,
): UnitUpdate | null {
  const reference = referenceOf(unit);
  if (reference === null) return null;
  const text = textOfReference(reference);
  const checked = facts.checks.get(text) ?? null;
  const each = containers.length === 0 && service !== undefined
    ? [stateOfService(service, reference, checked, facts)]
    : containers.map((container) => stateOf(container, reference, checked, facts));
  // One that is brought up by half has to be brought up first.
  const isHalf = containers.some(({ image }) => isOther(image, reference));
  const counted = isHalf ? each.filter(({ state }) => state !== "newer") : each;
  const worst =
    counted.toSorted((one, other) =>
      UPDATE_STATES.indexOf(one.state) - UPDATE_STATES.indexOf(other.state)
    )[0] ??
      withoutContainer(checked);
  const [held] = containers.flatMap(({ backend, imageId }) =>
    facts.images.get(imageKey(backend, imageId)) ?? []
  );
  const isNewer = worst.state === "newer";
  return {
    reference: text,
    ...worst,
    digest: isNewer ? checked?.digest ?? null : null,
    firstSeen: isNewer ? checked?.firstSeen ?? null : null,
    checkedAt: checked?.checkedAt ?? null,
    until: checked?.until ?? null,
    notes: urlSafe(held?.source ?? null),
    versions: facts.isEnabled ? checked?.versions?.found ?? [] : [],
    versionsReason: facts.isEnabled ? checked?.versions?.note ?? null : null,
  };
}

function withoutContainer(checked: Checked | null): Stands {
  if (checked !== null && checked.outcome !== "found") return failureOf(checked, null);
  return { state: "unknown", reason: "nothing of it is there to compare with", current: null };
}

type Stands = Pick<UnitUpdate, "state" | "reason" | "current">;

function stateOf(
  { backend, image, imageId }: RunningContainer,
  reference: Reference,
  checked: Checked | null,
  { isEnabled, images, platforms }: UpdateFacts,
): Stands {
  const held = images.get(imageKey(backend, imageId));
  const own = held === undefined ? [] : digestsOf(held, reference);
  const compare = (known: Checked) =>
    comparedWith(known, { backend, imageId }, { held, own, platforms, isOther: isOther(image, reference) });
  return standing(own[0] ?? null, checked, isEnabled, compare);
}

/** A swarm runs the digest that the service is pinned to, on whichever nodes. */
function stateOfService(
  { id, staleSince }: UpdatedService,
  reference: Reference,
  checked: Checked | null,
  { isEnabled, pinned }: UpdateFacts,
): Stands {
  const { image = "", digest: current = null } = pinned.get(id) ?? {};
  const unknown = (reason: string): Stands => ({ state: "unknown", reason, current });
  return standing(current, checked, isEnabled, ({ digest, platforms }) => {
    if (staleSince !== null) return unknown("its swarm does not answer");
    if (current === null) return unknown("its service is not pinned to a digest");
    const isSame = current === digest || Object.values(platforms).some((ids) => ids.includes(current));
    if (!isSame && isOther(image, reference)) return unknown(OTHER);
    return { state: isSame ? "current" : "newer", reason: null, current };
  });
}

/** Returns how `current` stands, by `compare` where a digest of the registry is known. */
function standing(
  current: string | null,
  checked: Checked | null,
  isEnabled: boolean,
  compare: (checked: Checked) => Stands,
): Stands {
  const unknown = (reason: string): Stands => ({ state: "unknown", reason, current });
  if (!isEnabled) return unknown("berth does not look for newer images");
  if (checked === null) return unknown("it was not checked yet");
  const failed = checked.outcome === "found" ? null : failureOf(checked, current);
  // What was newer stays so while its registry does not answer.
  if (failed !== null && (checked.digest === null || checked.outcome === "gone")) return failed;
  const stands = compare(checked);
  return failed === null || stands.state === "newer" ? stands : failed;
}

function failureOf({ outcome, reason }: Checked, current: string | null): Stands {
  const state = outcome === "unreachable" || outcome === "found" ? "unknown" : outcome;
  return { state, reason: reason ?? "the registry wants to be left alone for a while", current };
}

/** Compares an image that is held with the digest that the registry has. */
function comparedWith(
  checked: Checked,
  { backend, imageId }: Pick<RunningContainer, "backend" | "imageId">,
  { held, own, platforms, isOther }: {
    readonly held: HeldImage | undefined;
    readonly own: readonly string[];
    readonly platforms: UpdateFacts["platforms"];
    readonly isOther: boolean;
  },
): Stands {
  const current = own[0] ?? null;
  const unknown = (reason: string): Stands => ({ state: "unknown", reason, current });
  if (held === undefined) return unknown("the engine does not tell of its image");
  if (own.includes(checked.digest!)) return { state: "current", reason: null, current: checked.digest };
  const platform = platforms.get(backend) ?? "";
  const ids = Object.hasOwn(checked.platforms, platform) ? checked.platforms[platform]! : null;
  if (ids !== null && (ids.includes(imageId) || own.some((digest) => ids.includes(digest)))) {
    return { state: "current", reason: null, current };
  }
  if (isOther) return unknown(OTHER);
  if (ids?.length === 0) return unknown(`the registry does not have it for ${platform}`);
  if (own.length === 0) return unknown("it was built or loaded here: no registry knows this image");
  if (ids === null) return unknown("the new image was not compared yet");
  return { state: "newer", reason: null, current };
}

const OTHER = "the file names another image than runs";

/** Returns true for the image of a container or service that was made from another reference: Podman puts `localhost` before a short one. */
function isOther(image: string, reference: Reference): boolean {
  const made = readReference(image.replace(/^localhost\//, ""));
  return made === null || textOfReference(made) !== textOfReference(reference);
}

/** Returns the digests that the reference's registry knows a held image by. */
export function digestsOf({ digests }: HeldImage, reference: Reference): string[] {
  return digests.flatMap((digested) => {
    const read = readReference(digested);
    if (read === null || read.digest === null || nameOf(read) !== nameOf(reference)) return [];
    return [read.digest];
  });
}
