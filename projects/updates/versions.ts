/** Tags that are versions: which tags of a list are newer ones of the same shape, and how far they go. */

/** The first part in which a newer version differs: a major one may need work by hand. */
export const VERSION_STEPS = ["patch", "minor", "major"] as const;
type VersionStep = typeof VERSION_STEPS[number];

/** A version as `1.4.2` with what stands around it in the tag. */
export interface Version {
  readonly prefix: string;
  /** As written: `1.04`. */
  readonly text: string;
  readonly parts: readonly number[];
  readonly suffix: string;
}

export interface NewerVersion {
  readonly tag: string;
  readonly step: VersionStep;
}

/** Longer runs of digits are no versions: build numbers of a time, or a part of a hash. */
const LONGEST_PART = 9;
/** Tags of commits and of signatures, which count nothing. */
const HASHED = /(?:^|[-_.])sha(?:256)?[-_]?$/i;

/** Reads the longest version in a tag, the first of several that are as long; null for a tag without one. */
export function versionIn(tag: string): Version | null {
  const found = [...tag.matchAll(/\d+(?:\.\d+)*/g)].map(({ 0: text, index }) => ({
    prefix: tag.slice(0, index),
    text,
    parts: text.split("."),
    suffix: tag.slice(index + text.length),
  }));
  const longest = found.reduce<typeof found[number] | null>(
    (best, one) => best === null || one.parts.length > best.parts.length ? one : best,
    null,
  );
  if (longest === null || HASHED.test(longest.prefix)) return null;
  if (longest.parts.some((part) => part.length > LONGEST_PART)) return null;
  return { ...longest, parts: longest.parts.map(Number) };
}

/** Collects the newest versions of a tag's own shape out of a list that may be long. */
export class NewerVersions {
  readonly #newest = new Map<VersionStep, Version>();

  constructor(private readonly than: Version) {}

  add(tag: string): void {
    const version = versionIn(tag);
    if (version === null || !isAlike(version, this.than)) return;
    const step = stepTo(version.parts, this.than.parts);
    if (step === null) return;
    const known = this.#newest.get(step);
    if (known === undefined || stepTo(version.parts, known.parts) !== null) this.#newest.set(step, version);
  }

  /** Returns the newest one of each step, the nearest first. */
  found(): NewerVersion[] {
    return VERSION_STEPS.flatMap((step) => {
      const version = this.#newest.get(step);
      return version === undefined ? [] : [{ tag: tagOf(version), step }];
    });
  }
}

const tagOf = ({ prefix, text, suffix }: Version): string => prefix + text + suffix;

function isAlike(one: Version, other: Version): boolean {
  return one.prefix === other.prefix && one.suffix === other.suffix &&
    one.parts.length === other.parts.length;
}

/** Returns how far it is from `from` to `to`; null if it is not newer. Below 1.0 the second part is the major one. */
function stepTo(to: readonly number[], from: readonly number[]): VersionStep | null {
  const at = to.findIndex((part, index) => part !== from[index]);
  if (at < 0 || to[at]! < from[at]!) return null;
  const isMajor = at === 0 || (at === 1 && from[0] === 0);
  return isMajor ? "major" : at === 1 ? "minor" : "patch";
}
