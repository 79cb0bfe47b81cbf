/** One check of one reference: a `HEAD`, which no registry counts as a pull, and more only where the digest moved. */
import { ServiceError } from "../../core/error.ts";
import type { Reference } from "../../core/image_reference.ts";
import type { OutboundAnswer } from "../../core/outbound.ts";
import type { RegistryAccess, RegistryRules } from "../registries/access.ts";
import type { Checked } from "./checked.ts";
import { ACCEPT, DIGEST, readManifest } from "./manifest.ts";

/** Manifests of one platform that are asked for; ARM has several. */
const MOST_CHILDREN = 4;
const HOUR_MS = 3_600_000;
const MOST_REST_MS = 24 * HOUR_MS;

export interface CheckOf {
  readonly reference: Reference;
  readonly rules: RegistryRules;
  readonly before: Checked | null;
  /** Returns the platforms on which something runs that is not this digest. */
  readonly differing: (digest: string) => readonly string[];
  readonly now: number;
  readonly signal: AbortSignal;
}

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
    if (answer.status === 429 || answer.status === 503) {
      const until = restsUntil ?? now + HOUR_MS;
      return { checked: { ...last, outcome: "limited", reason: null, until }, restsUntil: until };
    }
    if (answer.status !== 200) return { checked: { ...last, ...failureOf(answer.status) }, restsUntil };
    if (digest === null) {
      const reason = "the registry does not tell a digest";
      return { checked: { ...last, outcome: "unreachable", reason }, restsUntil };
    }
    const isSame = last.digest === digest;
    const known = isSame ? last.platforms : {};
    const wanted = of.differing(digest).filter((platform) => !Object.hasOwn(known, platform));
    const found = wanted.length === 0 ? {} : await platformsOf(access, of, digest, wanted);
    const checked: Checked = {
      outcome: "found",
      reason: null,
      digest,
      firstSeen: isSame ? last.firstSeen : now,
      checkedAt: now,
      until: null,
      platforms: { ...known, ...found },
    };
    return { checked, restsUntil };
  } catch (error) {
    if (signal.aborted || !(error instanceof ServiceError)) throw error;
    const outcome = error.code === "registry_refused" ? "refused" : "unreachable";
    return { checked: { ...last, outcome, reason: error.message.slice(0, 300) }, restsUntil: null };
  }
}

const NOTHING = { outcome: "found", reason: null, digest: null, firstSeen: null, platforms: {} } as const;

/** Asks by `HEAD`; a registry that refuses that, or tells no digest, is asked once by `GET`. */
async function askForDigest(
  access: RegistryAccess,
  { reference: { repository, tag }, rules, signal }: CheckOf,
): Promise<{ readonly answer: OutboundAnswer; readonly digest: string | null }> {
  const path = `${repository}/manifests/${tag}`;
  const asked = { path, accept: ACCEPT, repository, signal };
  const head = await access.call(rules, { ...asked, method: "HEAD" });
  const told = digestIn(head);
  if (head.status !== 405 && (head.status !== 200 || told !== null)) return { answer: head, digest: told };
  const answer = await access.call(rules, { ...asked, method: "GET" });
  if (answer.status !== 200) return { answer, digest: null };
  return { answer, digest: digestIn(answer) ?? await digestOf(answer.body) };
}

/** Returns what the registry has for these platforms: an empty list for one that it does not have. */
async function platformsOf(
  access: RegistryAccess,
  { reference: { repository }, rules, signal }: CheckOf,
  digest: string,
  wanted: readonly string[],
): Promise<Record<string, string[]>> {
  const read = async (one: string) => {
    const path = `${repository}/manifests/${one}`;
    const answer = await access.call(rules, { method: "GET", path, accept: ACCEPT, repository, signal });
    const isIt = answer.status === 200 && await digestOf(answer.body) === one;
    return isIt ? readManifest(answer.body) : null;
  };
  const whole = await read(digest);
  if (whole === null) return {};
  const found: Record<string, string[]> = {};
  for (const platform of wanted) {
    if (whole.kind === "manifest") {
      found[platform] = [digest, whole.config];
      continue;
    }
    const ids: string[] = [];
    for (const child of whole.platforms.get(platform)?.slice(0, MOST_CHILDREN) ?? []) {
      const manifest = await read(child);
      ids.push(child, ...(manifest?.kind === "manifest" ? [manifest.config] : []));
    }
    found[platform] = ids;
  }
  return found;
}

function digestIn({ headers }: OutboundAnswer): string | null {
  const digest = headers.get("docker-content-digest") ?? "";
  return DIGEST.test(digest) ? digest : null;
}

async function digestOf(body: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new Uint8Array(body));
  return `sha256:${new Uint8Array(hash).toHex()}`;
}

function failureOf(status: number): Pick<Checked, "outcome" | "reason"> {
  if (status === 404) return { outcome: "gone", reason: "the registry has no such tag" };
  if (status === 401 || status === 403) {
    return { outcome: "refused", reason: "the registry wants other credentials, or has no such image" };
  }
  return { outcome: "unreachable", reason: `the registry answers ${status}` };
}

/** Returns until when the host is left alone: as long as it says, or where less than a fifth of its limit is left. */
function restOf({ status, headers }: OutboundAnswer, now: number): number | null {
  const after = headers.get("retry-after");
  if ((status === 429 || status === 503) && after !== null) {
    const ms = /^\d{1,9}$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - now;
    if (Number.isFinite(ms)) return now + Math.min(Math.max(ms, 1_000), MOST_REST_MS);
  }
  const [limit, remaining] = ["limit", "remaining"].map((name) =>
    /^\s*(\d{1,9})/.exec(headers.get(`ratelimit-${name}`) ?? "")?.[1]
  );
  if (limit === undefined || remaining === undefined) return null;
  return Number(remaining) < Number(limit) / 5 ? now + HOUR_MS : null;
}
