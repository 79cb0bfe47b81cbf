/** Passwords: which are accepted, how they are hashed, and how many are checked at a time. */
import { isCommonPassword } from "./common_passwords.ts";
import { PasswordQueue, type Sender, SIGNED_IN } from "./password_queue.ts";
import { sameDigest, toBase64Url } from "../secret.ts";

const MIN_CHARACTERS = 12;
const MAX_CHARACTERS = 1_024;

/** The cost of a check; stored beside each hash, so that it can be raised without asking anybody. */
interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB, and a quarter of a second of one core. */
const COST: Cost = { N: 2 ** 15, r: 8, p: 3 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** Far above what our own costs need, and a bound on what a damaged row could ask for. */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;

/** A stored password: text, so that every store can hold it. */
type PasswordHash = string;

const SHAPE = /^scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([\w-]+)\$([\w-]+)$/;

/** Returns why a password is not accepted, or null. */
export function weaknessOf(password: string, name: string): string | null {
  const length = [...password].length;
  if (length < MIN_CHARACTERS) return `Expected at least ${MIN_CHARACTERS} characters`;
  if (length > MAX_CHARACTERS) return `Expected at most ${MAX_CHARACTERS} characters`;
  if (isCommonPassword(password)) return "It is one of the commonest passwords, which are tried first";
  const rest = password.toLowerCase().replaceAll(name.toLowerCase(), "");
  if (rest.length < MIN_CHARACTERS / 2) return "It is hardly more than the name";
  return null;
}

/** Hashes and checks passwords, two at a time; further calls wait in a queue that refuses with `too_many_requests`. */
export class Passwords {
  readonly #cost: Cost;
  readonly #queue = new PasswordQueue();

  constructor({ cost = COST }: { readonly cost?: Cost } = {}) {
    this.#cost = cost;
  }

  /** Throws `too_many_requests` when too many wait. */
  async hash(password: string): Promise<PasswordHash> {
    const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
    const { N, r, p } = this.#cost;
    const key = await this.#derive(password, salt, this.#cost, SIGNED_IN);
    return ["scrypt", N, r, p, toBase64Url(salt), toBase64Url(key)].join("$");
  }

  /**
   * Returns `good` if it is the password of this hash. Without a hash it never is, and finding out takes as
   * long. `outdated`: the hash is cheaper than today's. Throws `too_many_requests` when too many callers
   * wait.
   */
  async check(
    password: string,
    hash: PasswordHash | null,
    sender: Sender = SIGNED_IN,
  ): Promise<{ good: boolean; outdated: boolean }> {
    const stored = hash === null ? null : parse(hash);
    const salt = stored?.salt ?? new Uint8Array(SALT_BYTES);
    const cost = stored?.cost ?? this.#cost;
    const key = await this.#derive(password, salt, cost, sender);
    const good = stored !== null && sameDigest(key, stored.key);
    const { N, r, p } = this.#cost;
    return { good, outdated: cost.N * cost.r * cost.p < N * r * p };
  }

  async #derive(password: string, salt: Uint8Array, cost: Cost, sender: Sender): Promise<Uint8Array> {
    using _turn = await this.#queue.turn(sender);
    const { scrypt } = await import("node:crypto");
    // One spelling of what looks the same, whichever keyboard it was typed on.
    const text = password.normalize("NFKC");
    return await new Promise((resolve, reject) =>
      scrypt(
        text,
        salt,
        KEY_BYTES,
        { ...cost, maxmem: MAX_MEMORY_BYTES },
        (error, key) => error === null ? resolve(new Uint8Array(key)) : reject(error),
      )
    );
  }
}

function parse(hash: PasswordHash): { cost: Cost; salt: Uint8Array; key: Uint8Array } | null {
  const [, N, r, p, salt = "", key = ""] = SHAPE.exec(hash) ?? [];
  if (N === undefined) return null;
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  return { cost, salt: fromBase64Url(salt), key: fromBase64Url(key) };
}

function fromBase64Url(text: string): Uint8Array {
  return Uint8Array.fromBase64(text, { alphabet: "base64url" });
}
