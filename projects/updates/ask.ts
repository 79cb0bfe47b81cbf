/** One question about a tag, as registries count it: by `HEAD`, and how long the answer lets the host rest. */
import type { Reference } from "../../core/image_reference.ts";
import type { OutboundAnswer } from "../../core/outbound.ts";
import type { RegistryAccess, RegistryRules } from "../registries/access.ts";
import type { Checked } from "./checked.ts";
import { ACCEPT, DIGEST } from "./manifest.ts";

export const HOUR_MS = 3_600_000;
const MOST_REST_MS = 24 * HOUR_MS;

export interface CheckOf {
  readonly reference: Reference;
  readonly rules: RegistryRules;
  readonly before: Checked | null;
  /** Returns the platforms on which something runs that is not this digest. */
  readonly differing: (digest: string) => readonly string[];
  /** Returns the platforms of the engines: what none of them can run is no newer version. */
  readonly platforms: () => readonly string[];
  /** True if the list of tags is due, too; it is longer than all else that is asked. */
  readonly listsTags: boolean;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Asks by `HEAD`; a registry that refuses that, or tells no digest, is asked once by `GET`. */
export async function askForDigest(
  access: RegistryAccess,
  { reference: { repository, tag }, rules, signal }: Pick<CheckOf, "reference" | "rules" | "signal">,
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

function digestIn({ headers }: OutboundAnswer): string | null {
  const digest = headers.get("docker-content-digest") ?? "";
  return DIGEST.test(digest) ? digest : null;
}

export async function digestOf(body: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new Uint8Array(body));
  return `sha256:${new Uint8Array(hash).toHex()}`;
}

/** Returns until when the host is left alone: as long as it says, or where less than a fifth of its limit is left. */
export function restOf({ status, headers }: OutboundAnswer, now: number): number | null {
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
