/** Hooks of forges: the secret that a forge signs with, and what counts as its signature. A payload is never parsed. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { ServiceError } from "../core/error.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const PREFIX = "whsec_";
const SECRET_BYTES = 32;
/** A signature with a time is refused when it is older, or from further ahead. */
const SKEW_S = 5 * 60;
/** Signatures that are tried of one header. */
const MOST_SIGNATURES = 8;

export const newHookId = (): string =>
  crypto.getRandomValues(new Uint8Array(16)).toBase64({ alphabet: "base64url", omitPadding: true });

export const newHookSecret = (): string =>
  `${PREFIX}${crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64()}`;

/** A secret that nobody has: an unknown address takes as long as a known one. */
export const NOBODYS_SECRET = newHookSecret();

export interface SignedHook {
  readonly headers: Headers;
  readonly body: Bytes;
  /** In milliseconds. */
  readonly now: number;
}

/**
 * Throws `hook_refused` unless it is signed as GitHub, Gitea and Forgejo do (`X-Hub-Signature-256`), as GitLab and
 * Standard Webhooks do (`webhook-signature`, with a time), or holds the secret as GitLab does (`X-Gitlab-Token`).
 */
export function mustBeSigned(secret: string, { headers, body, now }: SignedHook): void {
  const hub = headers.get("x-hub-signature-256");
  const standard = headers.get("webhook-signature");
  const token = headers.get("x-gitlab-token");
  const isSigned = hub !== null
    ? isHubSignature(secret, hub, body)
    : standard !== null
    ? isStandardSignature(secret, standard, { headers, body, now })
    : token !== null && isSame(token, secret);
  if (!isSigned) {
    throw new ServiceError(
      "hook_refused",
      "Cannot take the hook: it is not signed with this hook's secret; compare the address and the secret at the forge",
    );
  }
}

function isHubSignature(secret: string, header: string, body: Bytes): boolean {
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(header) ?? [];
  return hex !== undefined && verified(secret, Uint8Array.fromHex(hex), body);
}

function isStandardSignature(secret: string, header: string, { headers, body, now }: SignedHook): boolean {
  const id = headers.get("webhook-id") ?? "";
  const time = headers.get("webhook-timestamp") ?? "";
  if (id === "" || !/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > SKEW_S) return false;
  const start = utf8(`${id}.${time}.`);
  const signed = new Uint8Array(start.length + body.length);
  signed.set(start);
  signed.set(body, start.length);
  const key = Uint8Array.fromBase64(secret.slice(PREFIX.length));
  for (const one of header.split(" ").slice(0, MOST_SIGNATURES)) {
    const [, base64] = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(one) ?? [];
    if (base64 !== undefined && verified(key, Uint8Array.fromBase64(base64), signed)) return true;
  }
  return false;
}

/** Compares two texts without telling by its time how much of them is the same. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

function verified(secret: string | Bytes, signature: Bytes, signed: Bytes): boolean {
  const own = createHmac("sha256", secret).update(signed).digest();
  return own.length === signature.length && timingSafeEqual(own, signature);
}

const utf8 = (text: string): Bytes => new TextEncoder().encode(text);
