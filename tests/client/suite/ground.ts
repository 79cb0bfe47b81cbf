/** The ground a promise stands on: where the servers are, what runs it, and the few words to judge with. */
import type { Kind } from "../certificates.ts";

/** The addresses of the servers, and the runtime. */
export interface Ground {
  /** An HTTP server. */
  readonly http: string;
  /** The same server on another port, to which nobody has a connection yet. */
  readonly spare: string;
  /** A server of WebSockets, and of the few routes that go with them. */
  readonly sockets: string;
  /** A TLS server for each kind of certificate, and the PEM that vouches for it. */
  readonly https: Readonly<Record<Kind, { readonly port: number; readonly ca: string }>>;
  /** An address where nobody listens. */
  readonly dead: string;
  readonly runtime: Runtime;
}

/** The runtime of the client. */
export type Runtime = "deno" | "node" | "bun" | "browser";

/** A promise of the client, kept wherever it is not said to be impossible. */
export interface Promised {
  readonly name: string;
  run(ground: Ground): void | Promise<void>;
  /** The runtimes in which it cannot be asked. */
  readonly not: readonly Runtime[];
}

/** Every promise, in the order of their files. */
export const promises: Promised[] = [];

/** Adds a promise; its numbers are those of the design page. */
export function promise(name: string, run: Promised["run"], not: readonly Runtime[] = []): void {
  promises.push({ name, run, not });
}

/** Fails unless both are the same, compared as JSON that also tells apart what JSON does not. */
export function equal(actual: unknown, expected: unknown, what = ""): void {
  const [a, b] = [plain(actual), plain(expected)];
  if (a !== b) throw new Error(`${what}\n  got      ${a}\n  expected ${b}`);
}

/** Fails unless it holds. */
export function ok(held: unknown, what: string): asserts held {
  if (!held) throw new Error(what);
}

/** Returns the error that the promise rejects with. */
export async function rejection(work: Promise<unknown> | (() => unknown)): Promise<Error> {
  let value: unknown;
  try {
    value = await (typeof work === "function" ? work() : work);
  } catch (error) {
    return error as Error; // judged by the caller
  }
  throw new Error(`did not fail, but gave ${plain(value)}`);
}

/** Waits until it holds, 30 s at most. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  throw new Error(`never: ${what}`);
}

/** A name that no other case uses. */
export function freshKey(): string {
  return crypto.randomUUID();
}

function plain(value: unknown): string {
  return JSON.stringify(value, (_, v) => {
    if (v === undefined || typeof v === "bigint" || typeof v === "number" && !Number.isFinite(v)) {
      return `<${v}>`;
    }
    return v && typeof v === "object" && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => a < b ? -1 : 1))
      : v;
  }) ?? "undefined";
}
