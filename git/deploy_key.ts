/** Deploy keys: an Ed25519 pair in the forms that OpenSSH reads and forges take. */

export interface DeployKey {
  /** As `ssh` reads it from a file. */
  readonly secret: string;
  /** One line for the forge. */
  readonly public: string;
}

type Bytes = Uint8Array<ArrayBuffer>;

const KIND = "ssh-ed25519";
/** OpenSSH pads what is not encrypted to this. */
const BLOCK = 8;
const LINE = 70;

export async function newDeployKey(comment: string): Promise<DeployKey> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]) as CryptoKeyPair; // of this algorithm
  const open = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  // The seed is the end of the form that WebCrypto gives.
  const seed = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey)).slice(-32);
  const blob = joined(text(KIND), chunk(open));
  const check = crypto.getRandomValues(new Uint8Array(4));
  const inner = joined(
    check,
    check,
    text(KIND),
    chunk(open),
    chunk(joined(seed, open)),
    text(comment),
  );
  const padding = Uint8Array.from({ length: (BLOCK - inner.length % BLOCK) % BLOCK }, (_, at) => at + 1);
  const whole = joined(
    new TextEncoder().encode("openssh-key-v1\0"),
    text("none"),
    text("none"),
    text(""),
    number(1),
    chunk(blob),
    chunk(joined(inner, padding)),
  );
  const lines = whole.toBase64().match(new RegExp(`.{1,${LINE}}`, "g"))!; // it is not empty
  return {
    secret: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join("\n")}\n-----END OPENSSH PRIVATE KEY-----\n`,
    public: `${KIND} ${blob.toBase64()} ${comment}`,
  };
}

/** Returns the fingerprint as `ssh` shows it, of a key as `ssh-ed25519 AAAA…`. Null for what is none. */
export async function fingerprintOf(key: string): Promise<string | null> {
  const [, blob] = key.split(" ");
  if (blob === undefined || !isPublicKey(key)) return null;
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", Uint8Array.fromBase64(blob)));
  return `SHA256:${hash.toBase64({ omitPadding: true })}`;
}

/** Returns true for a public key of a host, as `ssh-keyscan` prints it behind the host's name. */
function isPublicKey(key: string): boolean {
  const [, kind, blob] = /^((?:ssh|ecdsa|sk)-[a-z0-9@.-]{3,60}) ([A-Za-z0-9+/]{20,4000}={0,2})$/.exec(key) ??
    [];
  if (kind === undefined || blob === undefined) return false;
  try {
    const bytes = Uint8Array.fromBase64(blob);
    const length = new DataView(bytes.buffer).getUint32(0);
    return new TextDecoder().decode(bytes.subarray(4, 4 + length)) === kind;
  } catch {
    return false;
  }
}

const number = (value: number): Bytes => {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
};

const chunk = (bytes: Bytes): Bytes => joined(number(bytes.length), bytes);

const text = (value: string): Bytes => chunk(new TextEncoder().encode(value));

function joined(...parts: readonly Bytes[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
