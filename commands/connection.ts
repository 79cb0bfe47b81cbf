/**
 * The connection of commands to a running berth: the project's own client, with address and key from the
 * environment or `berth login`.
 */
import { readPrivateFile } from "../auth/sealing/private_file.ts";
import {
  BearerAuth,
  Client,
  isBodyLimitError,
  isClientError,
  isClosedError,
  isNetworkError,
  isStatusError,
  isTimeoutError,
} from "../client/mod.ts";
import { readClientSettings } from "../config/client.ts";
import { ServiceError } from "../core/error.ts";
import { visible } from "../log/line.ts";
import { StartFailure } from "../app/start_failure.ts";
import { fetchBeside } from "./beside.ts";
import { EXIT, UsageFailure } from "./exit_code.ts";
import { remediesText } from "./plan_options.ts";

/** The file of `berth login`. */
export interface Login {
  readonly url: string;
  readonly key: string;
}

const DEFAULT_URL = "http://127.0.0.1:8700";

/** Seconds for an act that waits for an engine or for git: berth lets one take ten minutes. */
export const LONG_S = 660;

/** A berth that is started again, or replaced by another version, answers within this time. */
export const AWAY_MS = 120_000;

/** A client with credentials; `timeoutS` bounds each call. @throws UsageFailure that says what to set. */
export async function openClient(timeoutS?: number): Promise<Client> {
  const { url, key, loginFile, beside } = readClientSettings();
  const login = key === null && loginFile !== null ? await readLogin(loginFile) : null;
  const baseUrl = url ?? login?.url ?? beside?.url ?? DEFAULT_URL;
  // A key is for the berth that it was given for, and never sent to another.
  const own = login !== null && login.url === baseUrl ? login.key : null;
  const used = key ?? own;
  if (used === null) {
    throw new UsageFailure(`There is no key for ${baseUrl}: run "berth login ${baseUrl}", or set BERTH_KEY`);
  }
  return clientFor({ url: baseUrl, key: used }, timeoutS);
}

/** @throws UsageFailure for an address or a key that cannot be one. */
export function clientFor(
  { url, key }: Login,
  timeoutS?: number,
  { beside } = readClientSettings(),
): Client {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new UsageFailure(`"${url}" is not an address: expected one like ${DEFAULT_URL}`);
  }
  let auth: BearerAuth;
  try {
    auth = new BearerAuth(key);
  } catch {
    throw new UsageFailure("The key is empty or has characters that no key has");
  }
  const way = beside?.url === url ? { fetch: fetchBeside(beside) } : { verifyTls: true };
  return new Client({ baseUrl: url, auth, ...way, timeoutS });
}

/** The address that `berth login` signs in to unless told otherwise. */
export function loginUrl(): string {
  const { url, beside } = readClientSettings();
  return url ?? beside?.url ?? DEFAULT_URL;
}

async function readLogin(path: string): Promise<Login | null> {
  const text = await readPrivateFile(path);
  if (text === null) return null;
  try {
    const { url, key } = JSON.parse(text);
    if (typeof url === "string" && typeof key === "string") return { url, key };
  } catch {
    // said below
  }
  throw new StartFailure(`"${path}" does not hold a login: run "berth login" again`);
}

/** Returns true for a connection that broke, and for a berth or a proxy before it that cannot answer now. */
export const isBreak = (error: unknown): boolean =>
  isStatusError(error)
    ? error.response.statusCode >= 500
    : isClientError(error) && !isClosedError(error) && !isBodyLimitError(error);

/** The same, and true for a berth that takes no more for now: it counts a half-open connection until it is given up. */
export const mayPass = (error: unknown): boolean =>
  isBreak(error) || (isStatusError(error) && error.response.statusCode === 429);

/** Prints why a call failed, in one sentence, and answers the exit code; any other error is thrown on. */
export function failCall(error: unknown): number {
  console.error(`berth: ${visible(sentenceOf(error))}`);
  return exitOf(error);
}

/** Returns the exit code of a call that failed. */
export function exitOf(error: unknown): number {
  if (error instanceof UsageFailure) return EXIT.USAGE;
  const isAnswered = !isClientError(error) || (isStatusError(error) && error.response.statusCode < 500);
  return isAnswered ? EXIT.NO : EXIT.INCOMPLETE;
}

/** Returns why a call failed, in one sentence; any error that is not about the call is thrown on. */
export function sentenceOf(error: unknown): string {
  if (error instanceof StartFailure || error instanceof ServiceError) return error.message;
  if (!isClientError(error)) throw error;
  const { origin } = new URL(error.url);
  const doubt = error.method === "GET"
    ? ""
    : ": what was asked for may still happen, look before you repeat it";
  if (isStatusError(error)) {
    const { statusCode, text } = error.response;
    if (statusCode === 401) {
      return `${origin} does not accept the key: run "berth login ${origin}" with another one`;
    }
    return titleOf(text) ?? proxySentence(origin, statusCode, doubt);
  }
  if (isTimeoutError(error)) return `${origin} does not answer in time${doubt}`;
  const causes = causesOf(error);
  const untrusted = causes.map((one) => UNTRUSTED.exec(one)?.[1]).find((one) => one !== undefined);
  if (untrusted !== undefined) {
    return `The certificate of ${origin} is not trusted here (${untrusted}): DENO_CERT names the file of its authority`;
  }
  if (isNetworkError(error) && doubt !== "" && !causes.some((one) => UNSENT.test(one))) {
    return `The connection to ${origin} broke before an answer came${doubt}`;
  }
  return `Cannot reach ${origin}: is berth running there? BERTH_URL says where to look`;
}

/** Returns the sentence for an answer that is not berth's own. */
function proxySentence(origin: string, status: number, doubt: string): string {
  if (status === 502 || status === 503) {
    return `A proxy at ${origin} has no answer from berth (${status})${doubt}`;
  }
  return status === 504
    ? `A proxy at ${origin} gave up before berth answered (504), its time limit may be too short${doubt}`
    : `${origin} answers ${status}: is that a berth?`;
}

/** Returns the reasons below the client's error. */
function causesOf({ cause }: Error): string[] {
  const messages: string[] = [];
  while (cause instanceof Error && messages.length < 9) {
    messages.push(cause.message);
    cause = cause.cause;
  }
  return messages;
}

/** Matches where no connection came about, as with a name without an address: berth has heard nothing. */
const UNSENT = /: client error \(Connect\)|^Fetch failed: Requests to port/;
const UNTRUSTED = /: client error \(Connect\): invalid peer certificate: (.*)/s;

/** The title of berth's error answer, with the ids that an ambiguous name may mean. */
function titleOf(text: string): string | null {
  try {
    const { title, code, errors, remedies } = JSON.parse(text);
    if (typeof title !== "string") return null;
    if (Array.isArray(remedies)) return `${title}${remediesText(remedies)}`;
    if (code !== "ambiguous_name" || !Array.isArray(errors)) return title;
    return `${title}: ${errors.map(({ message }) => message).join(", ")}`;
  } catch {
    return null;
  }
}
