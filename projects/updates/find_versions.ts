/** Newer versions of a pinned tag: the list of a repository's tags, and the digests of those that are newer. */
import { ServiceError } from "../../core/error.ts";
import type { OutboundAnswer } from "../../core/outbound.ts";
import type { RegistryAccess, RegistryCall } from "../registries/access.ts";
import { askForDigest, type CheckOf, HOUR_MS, restOf } from "./ask.ts";
import type { CheckedVersions } from "./checked.ts";
import { ACCEPT, DIGEST, readManifest } from "./manifest.ts";
import { type NewerVersion, NewerVersions, type Version } from "./versions.ts";

const PAGE = 1_000;
/** Tags of one repository that are read, and requests for them; the rest is said to be unread. */
const MOST_TAGS = 50_000;
const MOST_PAGES = 60;
const PAGE_BYTES = 4 * 1024 * 1024;

interface FoundVersions {
  readonly versions: CheckedVersions;
  readonly restsUntil: number | null;
}

/** Keeps what was known where the registry does not answer, and says why. Never throws but for an aborted signal. */
export async function findVersions(
  access: RegistryAccess,
  of: CheckOf,
  than: Version,
  before: CheckedVersions | null,
): Promise<FoundVersions> {
  const known = before?.found ?? [];
  try {
    const list = await listed(access, of, than);
    if (list.newer === null) {
      return { versions: { listedAt: of.now, note: list.note, found: known }, restsUntil: list.restsUntil };
    }
    const { found, note, restsUntil } = await foundOf(access, of, list.newer, known);
    const versions = { listedAt: of.now, note: note ?? list.note, found };
    return { versions, restsUntil: restsUntil ?? list.restsUntil };
  } catch (error) {
    if (of.signal.aborted || !(error instanceof ServiceError)) throw error;
    return {
      versions: { listedAt: of.now, note: error.message.slice(0, 300), found: known },
      restsUntil: null,
    };
  }
}

type Found = CheckedVersions["found"];

/** Asks for those that are not known yet. An offered version stays so while nothing is told of the one in its place. */
async function foundOf(
  access: RegistryAccess,
  of: CheckOf,
  newer: readonly NewerVersion[],
  known: Found,
): Promise<{ readonly found: Found; readonly note: string | null; readonly restsUntil: number | null }> {
  const found: Found = [];
  let note: string | null = null;
  let restsUntil: number | null = null;
  for (const version of newer) {
    let one = known.find(({ tag }) => tag === version.tag) ?? null;
    if (one === null) {
      const told: Seen = restsUntil === null ? await seen(access, of, version) : { ...RESTING, restsUntil };
      restsUntil = told.restsUntil;
      note ??= told.failure;
      one = told.failure === null ? told.version : known.find(({ step }) => step === version.step) ?? null;
    }
    if (one !== null) found.push({ ...one, step: version.step });
  }
  return { found, note, restsUntil };
}

const RESTING = {
  version: null,
  failure: "the registry wants to be left alone: not all newer versions were looked at",
};

interface Listed {
  /** Null where the registry gave no list at all. */
  readonly newer: readonly NewerVersion[] | null;
  readonly note: string | null;
  readonly restsUntil: number | null;
}

/** Reads one page after the other. */
async function listed(
  access: RegistryAccess,
  { reference: { repository }, rules, now, signal }: CheckOf,
  than: Version,
): Promise<Listed> {
  const newer = new NewerVersions(than);
  let last: string | null = null;
  let count = 0;
  for (let page = 0; page < MOST_PAGES && count < MOST_TAGS; page++) {
    const asked: URLSearchParams = new URLSearchParams({ n: String(PAGE), ...(last !== null && { last }) });
    const call: RegistryCall = {
      method: "GET",
      path: `${repository}/tags/list?${asked}`,
      repository,
      maxBytes: PAGE_BYTES,
      signal,
    };
    const answer = await access.call(rules, call);
    const restsUntil = restOf(answer, now);
    const tags = answer.status === 200 ? tagsIn(answer.body) : null;
    if (tags === null) {
      const note = `the registry does not list its tags: it answers ${answer.status}`;
      return { newer: page === 0 ? null : newer.found(), note, restsUntil };
    }
    for (const tag of tags.slice(0, MOST_TAGS - count)) newer.add(tag);
    count += tags.length;
    const next = nextIn(answer.headers.get("link"));
    if (next === null) return { newer: newer.found(), note: null, restsUntil };
    if (restsUntil !== null || next === last) {
      const note = next === last
        ? "the registry's list of tags does not go on: not all of them were read"
        : "the registry wants to be left alone: not all of its tags were read";
      return { newer: newer.found(), note, restsUntil };
    }
    last = next;
  }
  const note = `the repository has more than ${MOST_TAGS} tags: the others were not read`;
  return { newer: newer.found(), note, restsUntil: null };
}

function tagsIn(body: Uint8Array): string[] | null {
  try {
    const { tags } = JSON.parse(new TextDecoder().decode(body));
    // A repository without tags has null.
    const list: unknown[] = tags === null ? [] : tags;
    return Array.isArray(list)
      ? list.filter((tag): tag is string => typeof tag === "string" && tag.length <= 128)
      : null;
  } catch {
    return null;
  }
}

/** Returns the last tag of this page, behind which the next one begins. Nothing else of the link is followed. */
function nextIn(link: string | null): string | null {
  const [, target] = /<([^<>]{1,2000})>\s*;\s*rel="?next"?/.exec(link?.slice(0, 4_096) ?? "") ?? [];
  const last = target === undefined ? null : URL.parse(target, "https://registry")?.searchParams.get("last");
  return last ?? null;
}

interface Seen {
  /** Null for what no engine can run, and for what is no image, as a chart. */
  readonly version: Found[number] | null;
  /** The reason that nothing is known of it; null where the registry told. */
  readonly failure: string | null;
  readonly restsUntil: number | null;
}

/** Returns a version with its digest. */
async function seen(access: RegistryAccess, of: CheckOf, { tag, step }: NewerVersion): Promise<Seen> {
  const { reference: { repository }, rules, now, signal } = of;
  const { answer: head, digest } = await askForDigest(access, { ...of, reference: { ...of.reference, tag } });
  const isDigest = digest !== null && DIGEST.test(digest);
  if (head.status !== 200 || !isDigest) return toldOf(head, tag, now);
  const path = `${repository}/manifests/${digest}`;
  const answer = await access.call(rules, { method: "GET", path, accept: ACCEPT, repository, signal });
  const told = toldOf(answer, tag, now);
  const manifest = answer.status === 200 ? readManifest(answer.body) : null;
  if (manifest === null) return told;
  const platforms = of.platforms();
  const isForNone = manifest.kind === "index" && platforms.length > 0 &&
    platforms.every((one) => !manifest.platforms.has(one));
  return isForNone ? told : { ...told, version: { tag, step, digest, firstSeen: now } };
}

/** Returns the meaning of an answer without an image: any but these two statuses leave open what is there. */
function toldOf(answer: OutboundAnswer, tag: string, now: number): Seen {
  const { status } = answer;
  const failure = status === 200 || status === 404
    ? null
    : `the registry does not tell of its tag ${tag}: it answers ${status}`;
  const isLimited = status === 429 || status === 503;
  return { version: null, failure, restsUntil: restOf(answer, now) ?? (isLimited ? now + HOUR_MS : null) };
}
