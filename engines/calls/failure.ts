/** Maps what Docker, Podman and proxies answer when they refuse to our own errors. */
import { withoutEnd } from "../../core/without_end.ts";
import { maskSaid } from "../../core/secrets.ts";
import type { ServiceError } from "../../core/error.ts";
import { objectOf, textOf } from "./wire.ts";
import { engineError, type EngineErrorCode } from "./errors.ts";

/** The subject of a call: words for its error, and the code of a 404. */
export interface Subject {
  /** "start container \"web\"": follows "Cannot". */
  readonly doing: string;
  readonly missing?: EngineErrorCode;
}

/** The characters of an answer that are read for its words. */
const MOST_WORDS = 65_536;

/** The engine's own refusal, as the cause of our error. */
export class EngineAnswer extends Error {
  override readonly name = "EngineAnswer";
  constructor(readonly status: number, readonly words: string) {
    super(`${status}: ${words}`);
  }
}

/** Returns the engine's words without control characters, at most 512 characters. */
export function clean(text: string): string {
  // deno-lint-ignore no-control-regex -- control and bidi characters are what is removed here
  return text.replace(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/g, " ").trim().slice(
    0,
    512,
  );
}

/** Returns the engine's words with their secrets masked. Masks before it cuts: half a secret has no form. */
export const said = (words: string, environment: readonly string[] = []): string =>
  clean(maskSaid(words.slice(0, MOST_WORDS), environment));

/** Returns the sentence in an error body: Docker's, Podman's, plain text; empty for HTML and for nothing. */
function wordsOf(body: string): string {
  const text = body.slice(0, MOST_WORDS).trim();
  if (text.startsWith("<")) return "";
  if (!text.startsWith("{")) return said(text);
  try {
    const answer = objectOf(JSON.parse(text));
    return said(textOf(answer.message) || textOf(answer.cause) || textOf(answer.error));
  } catch {
    return "";
  }
}

/**
 * Ids of objects, addresses with their ports, and folders in which an engine keeps its own. That a port is taken on all
 * addresses or on loopback, every caller may know who may start something there.
 */
const OF_OTHERS = [
  /\b[0-9a-f]{12,64}\b/g,
  /(?<![\w.])(?!0\.0\.0\.0|127\.)\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2}|:\d{1,5})?(?![\w.])/g,
  /(?<![\w:.])\[?(?:[0-9a-f]{1,4}:){1,7}(?::|[0-9a-f]{1,4})(?:[0-9a-f:]{0,34})(?:\]:\d{1,5}|\/\d{1,3})?(?![\w:])/gi,
  /(?:\/home\/[^\s"'/]{1,64}\/\.local\/share|\/(?:var\/)?(?:lib|run))\/(?:user|docker|containers?|containerd|storage)\b[^\s"',;)]{0,1024}/g,
];

/** Hides what an engine tells of others: all of it that the request itself does not hold. */
export const withoutOthers = (words: string, asked: string): string =>
  OF_OTHERS.reduce(
    (text, pattern) => text.replace(pattern, (found) => asked.includes(found) ? found : "..."),
    words,
  );

/** Docker and Podman use different statuses, so the words decide first. The order matters. */
const meanings: readonly (readonly [RegExp, EngineErrorCode])[] = [
  [/multiple ids found|more than one|ambiguous|multiple .{1,200} match/i, "ambiguous_id"],
  // Podman ends this sentence with "container already exists", although no name is asked for.
  [/has dependent containers/i, "conflict"],
  [
    /is already in use by|name .{1,200} is (?:already )?in use|already exists|volume name .{1,200} not unique/i,
    "name_taken",
  ],
  [
    /volume is (?:being used|in use)|is in use by|image is (?:being used|in use)|is being used by|image used by|has active endpoints|network is being used|must be forced|is using its/i,
    "in_use",
  ],
  [
    /container state improper|is paused|not running|is running|running container|already in progress|marked for removal|only one instance of|pre-?defined .{0,200}network|overlaps with|already used on the host|already being used by a network|does not support reading|is not logging output/i,
    "conflict",
  ],
  // Podman gives a container free between making its process and starting it: somebody stopped it meanwhile
  [/\b(?:crun|runc) start .{1,200} failed: exit status 1\b/i, "conflict"],
  [
    /no matching subnet|invalid (?:subnet|gateway|ip\b|address|cidr|signal|mount|reference|container name)|not (?:a )?valid|bad parameter|unknown signal|unsupported (?:network |volume )?driver|not in subnet|address is out of range|executable file .{1,200} not found|attempted to invoke a command/i,
    "invalid_request",
  ],
];

/** The words that replace the engine's own, which may name objects of others. */
const DISCREET: Partial<Record<EngineErrorCode, string>> = {
  in_use: "it is in use",
  name_taken: "the name is taken",
  ambiguous_id: "several match",
};

const CONTAINER_ID = /\b[0-9a-f]{12,64}\b/g;

/** A driver that the engine lacks is the caller's mistake, whatever status it comes with. */
const NO_DRIVER =
  /(?:could not find|looking up (?:volume|network)) plugin|plugin "?[\w/.-]+"? not found|no such plugin|unknown driver|driver .{1,64} not (?:found|supported|available)/i;

/** Podman says the second of a container that somebody removes at the same time. */
const GONE = /^no such |\bno such (?:container|image|volume|network|pod)\b|has already been removed/i;

/** `nameOf` names the containers whose ids the engine tells; `asked` is the text of the request. */
export function failureOf(
  engine: string,
  status: number,
  body: string,
  subject: Subject,
  nameOf: (id: string) => string | null = () => null,
  asked = "",
): ServiceError {
  const words = wordsOf(body).replace(CONTAINER_ID, (id) => nameOf(id) ?? id);
  const cause = new EngineAnswer(status, words);
  const nameless = withoutOthers(wordsOf(body), asked);
  const refuse = (code: EngineErrorCode, why: string) =>
    engineError(code, `Cannot ${subject.doing}: ${why}`, {
      cause,
      discreet: `Cannot ${subject.doing}: ${
        DISCREET[code] ?? why.replace(quotable(words), quotable(nameless))
      }`,
    });
  const answer = words === ""
    ? `engine "${engine}" answered ${status}`
    : `engine "${engine}" says "${quotable(words)}"`;
  if (NO_DRIVER.test(words)) return refuse("invalid_request", answer);
  if (
    status === 404 ||
    (status === 500 && GONE.test(words))
  ) {
    return refuse(subject.missing ?? "not_found", words === "" ? "it does not exist" : answer);
  }
  for (const [pattern, code] of meanings) if (pattern.test(words)) return refuse(code, answer);
  if (status === 409 || status === 403) return refuse("conflict", answer);
  if (status === 400) return refuse("invalid_request", answer);
  if (status === 503) return refuse("runtime_unavailable", answer);
  return refuse("engine_failed", answer);
}

/** The error for an engine that could not be reached. */
export function unreachable(engine: string, thrown: unknown, subject: Subject): ServiceError {
  return engineError(
    "runtime_unavailable",
    `Cannot ${subject.doing}: engine "${engine}" is away, ${reasonOf(thrown)}`,
    { cause: thrown },
  );
}

export function reasonOf(thrown: unknown): string {
  const text = `${thrown instanceof Error ? thrown.message : ""} ${
    thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : ""
  }`;
  if (thrown instanceof Deno.errors.NotCapable || /NotCapable|Requires .* access/.test(text)) {
    return "berth was started without the permission to open its address";
  }
  if (/permission denied/i.test(text)) {
    return 'this user may not open its socket (join the group that owns it, often "docker")';
  }
  if (/no such file|os error 2\)/i.test(text)) return "there is no socket at its address";
  if (/connection refused/i.test(text)) return "nothing listens at its address";
  return tlsReasonOf(text) ?? "the connection failed";
}

/** Returns what is wrong between two certificates, and what to do. */
function tlsReasonOf(text: string): string | null {
  if (/UnknownIssuer|CaUsedAsEndEntity|BadSignature|unable to (?:verify|get)|self.signed/i.test(text)) {
    return 'its certificate is not signed by the authority in "ca": take the file of the one that signed it';
  }
  if (/fatal alert|AlertReceived/i.test(text)) {
    return 'it does not accept berth\'s certificate: "cert" must be signed by the authority that it trusts, and not ' +
      "have ended";
  }
  if (/NotValidYet|not valid yet|not yet valid/i.test(text)) {
    return "its certificate is not valid yet: compare the clocks of the two hosts";
  }
  if (/\bExpired\b|certificate expired/i.test(text)) return "its certificate has ended: renew it on its host";
  if (/NotValidForName|not valid for (?:any )?name|does not match certificate/i.test(text)) {
    return "its certificate is for another name: use a name or an address that is in it";
  }
  if (/certificate|tls|handshake/i.test(text)) {
    return "TLS with it failed: both ends need certificates, see docs/engines.md";
  }
  return null;
}

/** An answer of the engine that lacks what every such answer has. */
export function unreadable(engine: string, doing: string): ServiceError {
  return engineError(
    "engine_failed",
    `Cannot ${doing}: berth does not understand the answer of engine "${engine}"`,
  );
}

function quotable(words: string): string {
  return withoutEnd(words.replaceAll('"', "'"), ". ");
}
