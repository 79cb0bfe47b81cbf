/** One small HTTP request, to an address or a unix socket, with an answer of bounded size and time. */
import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";

export interface ShortAnswer {
  readonly status: number;
  /** The first kilobyte of the body, without blanks around it. */
  readonly text: string;
}

/** A request failed; `code` is the system's name for why, as `EACCES` or `ENOENT`. */
export class AskFailure extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

const TIMEOUT_MS = 5_000;
const MAX_TEXT = 1_024;

/** Null when nothing answers. Certificates are not verified: nothing secret is sent, and they seldom name loopback. */
export async function askOnce(url: string): Promise<ShortAnswer | null> {
  return await ask(url).catch(() => null);
}

/** @throws AskFailure */
export function ask(url: string, socketPath?: string): Promise<ShortAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ShortAnswer>();
  const fail = (error: { readonly code?: unknown; readonly name?: unknown }) =>
    reject(new AskFailure(String(error.name === "AbortError" ? "ETIMEDOUT" : error.code ?? "unknown")));
  const request = url.startsWith("https:") ? tlsRequest : plainRequest;
  const asked = request(url, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    rejectUnauthorized: false,
    agent: false,
    ...(socketPath === undefined ? {} : { socketPath }),
  }, (answer) => {
    let text = "";
    answer.setEncoding("utf8");
    answer.on("data", (part: string) => text = (text + part).slice(0, MAX_TEXT));
    answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text: text.trim() }));
    answer.on("error", fail);
  });
  asked.on("error", fail);
  asked.end();
  return promise;
}
