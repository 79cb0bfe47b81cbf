/** One check of one reference: a `HEAD`, which no registry counts as a pull, and more only where the digest moved. */
import { ServiceError } from "../../core/error.ts";
import type { OutboundAnswer } from "../../core/outbound.ts";
import type { RegistryAccess } from "../registries/access.ts";
import { askForDigest, type CheckOf, digestOf, HOUR_MS, restOf } from "./ask.ts";
import type { Checked } from "./checked.ts";
import { findVersions } from "./find_versions.ts";
import { ACCEPT, readManifest } from "./manifest.ts";
import { versionIn } from "./versions.ts";

/** Manifests of one platform that are asked for; ARM has several. */
const MOST_CHILDREN = 4;

export interface CheckResult {
  readonly checked: Checked;
  /** Until when no other reference of the host is asked for; null for no such wish. */
  readonly restsUntil: number | null;
}

/** Asks the registry. Never throws but for an aborted signal. */
export async function checkReference(access: RegistryAccess, of: CheckOf): Promise<CheckResult> {
  const { before, now, signal } = of;
  const last: Checked = { ...(before ?? NOTHING), checkedAt: now, until: null };
  try {
    const { answer, digest } = await askForDigest(access, of);
    const restsUntil = restOf(answer, now);
    if (answer.status !== 200) return failed(last, answer, now);
    if (digest === null) {
      const reason = "the registry does not tell a digest";
      return { checked: { ...last, outcome: "unreachable", reason }, restsUntil };
    }
    const isSame = last.digest === digest;
    const known = isSame ? last.platforms : {};
    const wanted = of.differing(digest).filter((platform) => !Object.hasOwn(known, platform));
    const { found, refusal } = wanted.length === 0
      ? { found: {}, refusal: null }
      : await platformsOf(access, of, digest, wanted);
    if (refusal !== null) return failed(last, refusal, now);
    const checked: Checked = {
      outcome: "found",
      reason: null,
      digest,
      firstSeen: isSame ? last.firstSeen : now,
      checkedAt: now,
      until: null,
      platforms: { ...known, ...found },
      versions: last.versions,
    };
    return await withVersions(access, of, { checked, restsUntil });
  } catch (error) {
    if (signal.aborted || !(error instanceof ServiceError)) throw error;
    const outcome = error.code === "registry_refused" ? "refused" : "unreachable";
    return { checked: { ...last, outcome, reason: error.message.slice(0, 300) }, restsUntil: null };
  }
}

const NOTHING = {
  outcome: "found",
  reason: null,
  digest: null,
  firstSeen: null,
  platforms: {},
  versions: null,
} as const;

/** Looks for newer versions of a tag that is one, unless the host wants to be left alone. */
async function withVersions(
  access: RegistryAccess,
  of: CheckOf,
  result: CheckResult,
): Promise<CheckResult> {
  const { checked, restsUntil } = result;
  const version = of.listsTags && restsUntil === null ? versionIn(of.reference.tag ?? "") : null;
  if (version === null) return result;
  const found = await findVersions(access, of, version, checked.versions);
  return { checked: { ...checked, versions: found.versions }, restsUntil: found.restsUntil };
}

/** Keeps what is known beside an answer that tells nothing of it. */
function failed(last: Checked, answer: OutboundAnswer, now: number): CheckResult {
  const restsUntil = restOf(answer, now);
  if (answer.status === 429 || answer.status === 503) {
    const until = restsUntil ?? now + HOUR_MS;
    return { checked: { ...last, outcome: "limited", reason: null, until }, restsUntil: until };
  }
  return { checked: { ...last, ...failureOf(answer.status) }, restsUntil };
}

/** A manifest: null where it is no image, absent where it is not there, or another one than its digest says. */
type Read = { readonly manifest?: ReturnType<typeof readManifest> } | { readonly refusal: OutboundAnswer };

interface FoundPlatforms {
  readonly found: Readonly<Record<string, string[]>>;
  /** An answer that tells nothing, which ended it; null for none. */
  readonly refusal: OutboundAnswer | null;
}

/** Returns what the registry has for these platforms: an empty list for one that it does not have, none for one of which it does not tell. */
async function platformsOf(
  access: RegistryAccess,
  { reference: { repository }, rules, signal }: CheckOf,
  digest: string,
  wanted: readonly string[],
): Promise<FoundPlatforms> {
  const read = async (one: string): Promise<Read> => {
    const path = `${repository}/manifests/${one}`;
    const answer = await access.call(rules, { method: "GET", path, accept: ACCEPT, repository, signal });
    if (answer.status !== 200 && answer.status !== 404) return { refusal: answer };
    const isIt = answer.status === 200 && await digestOf(answer.body) === one;
    return isIt ? { manifest: readManifest(answer.body) } : {};
  };
  const found: Record<string, string[]> = {};
  const first = await read(digest);
  if ("refusal" in first) return { found, ...first };
  const whole = first.manifest ?? null;
  if (whole === null) return { found, refusal: null };
  for (const platform of wanted) {
    if (whole.kind === "manifest") {
      found[platform] = [digest, whole.config];
      continue;
    }
    const ids: string[] = [];
    let isWhole = true;
    for (const child of whole.platforms.get(platform)?.slice(0, MOST_CHILDREN) ?? []) {
      const one = await read(child);
      if ("refusal" in one) return { found, ...one };
      isWhole &&= one.manifest !== undefined;
      ids.push(child, ...(one.manifest?.kind === "manifest" ? [one.manifest.config] : []));
    }
    // Without the settings of one of them, what runs could not be known again.
    if (isWhole) found[platform] = ids;
  }
  return { found, refusal: null };
}

function failureOf(status: number): Pick<Checked, "outcome" | "reason"> {
  if (status === 404) return { outcome: "gone", reason: "the registry has no such tag" };
  if (status === 401 || status === 403) {
    return { outcome: "refused", reason: "the registry wants other credentials, or has no such image" };
  }
  return { outcome: "unreachable", reason: `the registry answers ${status}` };
}
