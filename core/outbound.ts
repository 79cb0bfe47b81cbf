/** Calls to hosts outside: to addresses that were looked at, over a connection to exactly those, bounded. */
import { Agent as PlainAgent, type IncomingMessage, request as plainRequest } from "node:http";
import { Agent, request } from "node:https";
import { rootCertificates } from "node:tls";
import { concat } from "./bytes.ts";

/** `refused` is an address that no call may go to: link-local, as of a cloud's metadata, or no host at all. */
type AddressKind = "public" | "private" | "refused";

interface OutboundCall {
  readonly method?: "GET" | "HEAD" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** True if the host may be on a private network or this machine. */
  readonly allowsPrivate: boolean;
  /** The name of the host that sent the caller to this one: from a public address nobody is sent to a private one. */
  readonly sentBy?: string;
  /** A PEM text of further certificates that are trusted. */
  readonly ca?: string | null;
  /** Bytes of the answer's body. */
  readonly maxBytes?: number;
  readonly totalMs?: number;
  readonly signal?: AbortSignal;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** The reason that a call got no answer, in words that name nothing but what the caller named. */
export class OutboundFailure extends Error {
  constructor(
    readonly kind: "address" | "unreachable" | "tls" | "late" | "tooLarge",
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

const TOTAL_MS = 20_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Addresses of one host that are tried. */
const MOST_ADDRESSES = 3;
/** Idle connections that are kept. */
const IDLE = { keepAlive: true, maxSockets: 4, maxFreeSockets: 8, timeout: 15_000 };

/** Keeps connections for a while; disposing closes them. */
export class Outbound implements Disposable {
  readonly #plain = new PlainAgent(IDLE);
  readonly #tls = new Agent(IDLE);

  /**
   * The host's name is resolved once, and the connection goes to that address. A redirect is an answer like any other:
   * the caller decides. Throws `OutboundFailure`.
   */
  async call(url: URL, call: OutboundCall): Promise<OutboundAnswer> {
    const { totalMs = TOTAL_MS, sentBy = url.hostname } = call;
    const late = AbortSignal.timeout(totalMs);
    const signal = AbortSignal.any([late, ...(call.signal === undefined ? [] : [call.signal])]);
    try {
      const isOwn = sentBy === url.hostname;
      const allowsPrivate = call.allowsPrivate && (isOwn || await isPrivate(sentBy, signal));
      const addresses = await connectable(url.hostname, allowsPrivate, signal);
      for (const [at, address] of addresses.entries()) {
        try {
          return await this.#send(url, address, call, signal);
        } catch (error) {
          const isLast = at === addresses.length - 1;
          if (error instanceof OutboundFailure || signal.aborted || isTls(error) || isLast) throw error;
        }
      }
      throw new OutboundFailure("unreachable", "its name has no address");
    } catch (error) {
      if (error instanceof OutboundFailure) throw error;
      if (late.aborted) throw new OutboundFailure("late", `no answer within ${totalMs / 1000} s`, error);
      throw isTls(error)
        ? new OutboundFailure("tls", "its certificate is not trusted, or it does not speak TLS", error)
        : new OutboundFailure("unreachable", "it cannot be reached", error);
    }
  }

  [Symbol.dispose](): void {
    this.#plain.destroy();
    this.#tls.destroy();
  }

  async #send(url: URL, address: string, call: OutboundCall, signal: AbortSignal): Promise<OutboundAnswer> {
    const { method = "GET", headers = {}, body, ca = null, maxBytes = MAX_BYTES } = call;
    const isTls = url.protocol === "https:";
    const isName = url.hostname !== address && url.hostname !== `[${address}]`;
    const options = {
      // Deno's own `fetch` cannot be told which address of a name to connect to.
      host: address,
      port: Number(url.port) || (isTls ? 443 : 80),
      method,
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host },
      signal,
    };
    const tls = {
      ...options,
      agent: this.#tls,
      ...(isName && { servername: url.hostname }),
      ...(ca !== null && { ca: [...rootCertificates, ca] }),
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = isTls ? request(tls, resolve) : plainRequest({ ...options, agent: this.#plain }, resolve);
      sent.on("error", reject);
      sent.end(body);
    });
    return {
      status: answer.statusCode ?? 0,
      headers: headersOf(answer),
      body: await bounded(answer, maxBytes),
    };
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return headers;
}

/** The metadata services of clouds that are not at a link-local address, as a URL writes them. */
const METADATA: ReadonlySet<string> = new Set([
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:42::42",
  "fd00:ec2::254",
  "fd20:ce::254",
].map((text) => String(bytesOf(text))));

/** Returns what may be known of an address without a call: whose network it is of. */
export function kindOfAddress(text: string): AddressKind {
  const bytes = bytesOf(text);
  if (bytes === null || METADATA.has(String(bytes))) return "refused";
  if (bytes.length === 4) return kindOfIpv4(bytes);
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  const isTranslated = bytes[0] === 0 && bytes[1] === 0x64 && bytes[2] === 0xff && bytes[3] === 0x9b;
  if (isMapped || isTranslated) return kindOfAddress(bytes.slice(12).join("."));
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes;
  if (first === 0x20 && second === 0x02) return kindOfAddress(bytes.slice(2, 6).join(".")); // 6to4
  if (first === 0x20 && second === 0x01 && third === 0 && fourth === 0) return "refused"; // Teredo
  if (bytes.every((byte, at) => byte === (at === 15 ? 1 : 0))) return "private";
  if (bytes.every((byte) => byte === 0) || first === 0xff) return "refused";
  if (first === 0xfe && (second & 0xc0) === 0x80) return "refused";
  if ((first & 0xfe) === 0xfc) return "private";
  return (first & 0xe0) === 0x20 ? "public" : "refused";
}

function kindOfIpv4([a = 0, b = 0, c = 0]: readonly number[]): AddressKind {
  if (a === 0 || a >= 224 || (a === 169 && b === 254)) return "refused";
  const isPrivate = a === 10 || a === 127 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168) ||
    (a === 100 && b >= 64 && b < 128) || (a === 198 && (b === 18 || b === 19)) ||
    (a === 192 && b === 0 && c === 0);
  return isPrivate ? "private" : "public";
}

function bytesOf(text: string): number[] | null {
  return text.includes(":") ? ipv6(text) : ipv4(text);
}

function ipv4(text: string): number[] | null {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  return parts?.every((part) => part <= 255) ? parts : null;
}

/** Reads it as a URL does, which writes every form in one way. */
function ipv6(text: string): number[] | null {
  const host = URL.parse(`http://[${text.replace(/%.*$/, "")}]`)?.hostname.slice(1, -1);
  if (host === undefined) return null;
  const [before = "", after] = host.split("::");
  const words = (part: string) => part === "" ? [] : part.split(":").map((word) => parseInt(word, 16));
  const [head, tail] = [words(before), words(after ?? "")];
  const gap = after === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array<number>(gap).fill(0), ...tail].flatMap((word) => [word >> 8, word & 255]);
}

/**
 * Returns the addresses that a program may call a host at, so that it does not look the name up again and find others;
 * empty for a name that only a proxy can resolve. Throws `OutboundFailure` for a host that no call may go to.
 */
export async function callableAddresses(
  hostname: string,
  signal: AbortSignal,
  resolve = addressesOf,
): Promise<string[]> {
  let found: string[];
  try {
    found = await resolve(hostname, signal);
  } catch (error) {
    if (error instanceof OutboundFailure) return [];
    throw error;
  }
  if (found.some((address) => kindOfAddress(address) === "refused")) {
    throw new OutboundFailure(
      "address",
      "its address may not be called: it is link-local, or no host at all",
    );
  }
  return found;
}

/** Returns true for a host with an address on a private network, or on this machine. */
async function isPrivate(hostname: string, signal: AbortSignal): Promise<boolean> {
  return (await addressesOf(hostname, signal)).some((address) => kindOfAddress(address) === "private");
}

/** Returns the addresses of a host that may be called. Throws `OutboundFailure`. */
export async function connectable(
  hostname: string,
  allowsPrivate: boolean,
  signal: AbortSignal,
): Promise<string[]> {
  const found = await addressesOf(hostname, signal);
  for (const address of found) {
    const kind = kindOfAddress(address);
    if (kind === "refused") throw new OutboundFailure("address", "its address may not be called");
    if (kind === "private" && !allowsPrivate) {
      throw new OutboundFailure("address", "its address is on a private network");
    }
  }
  return found.slice(0, MOST_ADDRESSES);
}

async function addressesOf(hostname: string, signal: AbortSignal): Promise<string[]> {
  if (hostname.startsWith("[")) return [hostname.slice(1, -1)];
  if (ipv4(hostname) !== null) return [hostname];
  const asked = await Promise.allSettled([
    Deno.resolveDns(hostname, "A", { signal }),
    Deno.resolveDns(hostname, "AAAA", { signal }),
  ]);
  const found = asked.flatMap((one) => one.status === "fulfilled" ? one.value : []);
  signal.throwIfAborted();
  if (found.length === 0) throw new OutboundFailure("unreachable", "its name has no address");
  return found;
}

async function bounded(answer: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Uint8Array>) {
    size += part.byteLength;
    // Leaving the loop ends the connection.
    if (size > maxBytes) throw new OutboundFailure("tooLarge", `its answer is larger than ${maxBytes} bytes`);
    parts.push(part);
  }
  return concat(parts);
}

function isTls(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (/certificate|ssl|tls|altname/i.test(`${one.name} ${one.message}`)) return true;
  }
  return false;
}
