/** One log record as one safe line of JSON: no secret, no control character, nothing that looks like two lines. */
import type { AccessLine, LogFields, LogLevel } from "../core/log.ts";

const MASK = "[redacted]";

/** Longer than any real line; a cut line says so. */
const MAX_LINE = 32_768;
const MAX_STRING = 8_192;
const MAX_DEPTH = 6;
const MAX_ENTRIES = 100;
/** Values and characters of one line, however they are nested. */
const MAX_VALUES = 1_000;
const MAX_CHARACTERS = 24_000;

const SECRET_FIELD =
  /^(?:.*[-_.])?(?:authorization|cookie|set-cookie|password|passwd|passphrase|secret|token|credentials?|verifier|code_?verifier|auth|env|api-?_?key|private-?_?key|x-registry-auth|sec-websocket-protocol|x-berth)$/i;
const SECRET_SUFFIX = /(?:[Tt]oken|[Ss]ecret|[Pp]assword|[Vv]erifier|[Cc]ookie|[Aa]piKey|[Pp]rivateKey)$/;

/** A cheap look before the real patterns: most lines hold none of these. */
const MAY_HOLD_SECRET = /bearer|basic |berth_|eyJ|@|token|secret|passw|verifier|code=/i;
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${MASK}`],
  [/\bberth\.bearer\.[A-Za-z0-9._~-]+/g, `berth.bearer.${MASK}`],
  [/\bberth_[A-Za-z0-9]+_[A-Za-z0-9_-]+/g, MASK],
  [/(?<!\w|\w-)eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{0,8192}(?:\.[A-Za-z0-9_-]{0,8192})?/g, MASK],
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/"'<>@]{1,512}@/gi, `$1${MASK}@`],
  [
    /\b((?:[a-z0-9]{1,32}[-_])?(?:token|secret|password|passwd|code_verifier|api_?key)=)[^\s&"'\\#;,]+/gi,
    `$1${MASK}`,
  ],
  // Long enough to be an authorization code rather than an exit code.
  [/\b(code=)[^\s&"'\\#;,]{8,}/gi, `$1${MASK}`],
  // JSON inside a string: the quotes are escaped.
  [
    /(\\"[\w-]{0,32}(?:token|secret|password|passwd|verifier|api_?key)\\"\s{0,4}:\s{0,4}\\")[^"\\]+/gi,
    `$1${MASK}`,
  ],
];

/**
 * Characters that JSON does not escape but terminals and editors act on: DEL, C1, line separators, bidi, zero
 * width.
 */
const UNSAFE = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
const UNSAFE_ALL = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A path or an id that can stand between quotes as it is. */
const PLAIN = /^[!#-[\]-~]*$/;

function hex(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Masks what looks like a credential in free text. */
function withoutSecrets(text: string): string {
  if (!MAY_HOLD_SECRET.test(text)) return text;
  let clean = text;
  for (const [pattern, replacement] of SECRETS) clean = clean.replace(pattern, replacement);
  return clean;
}

/** Text as it may stand on a terminal: control and bidi characters as their escapes. */
export function visible(text: string): string {
  // deno-lint-ignore no-control-regex
  const shown = text.replace(/[\u0000-\u001f]/g, hex);
  return UNSAFE.test(shown) ? shown.replace(UNSAFE_ALL, hex) : shown;
}

// The values that the current line may still hold; formatting never awaits, so there is only one line at a
// time.
let valuesLeft = 0;
let charactersLeft = 0;

function plainText(text: string): string {
  const most = Math.min(MAX_STRING, Math.max(charactersLeft, 0));
  charactersLeft -= text.length;
  return text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text;
}

function plainValue(value: unknown, depth: number): unknown {
  if (--valuesLeft < 0) return "[more]";
  switch (typeof value) {
    case "string":
      return plainText(value);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
    case "undefined":
      return value;
    case "bigint":
    case "symbol":
      return String(value);
    case "function":
      return "[function]";
  }
  if (value === null) return null;
  if (depth >= MAX_DEPTH) return "[deeper]";
  if (value instanceof Error) return plainError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ENTRIES).map((item) => plainValue(item, depth + 1));
    if (value.length > MAX_ENTRIES) items.push(`… ${value.length - MAX_ENTRIES} more`);
    return items;
  }
  return plainFields(value as Record<string, unknown>, depth + 1);
}

function plainError(error: Error, depth: number): unknown {
  const plain: Record<string, unknown> = {
    name: error.name,
    message: plainValue(error.message, depth),
    stack: plainText(error.stack?.slice(0, 4_096) ?? ""),
  };
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string") plain["code"] = code;
  if (error.cause !== undefined) plain["cause"] = plainValue(error.cause, depth + 1);
  return plain;
}

function plainFields(fields: LogFields, depth: number): Record<string, unknown> {
  const plain: Record<string, unknown> = Object.create(null);
  let count = 0;
  for (const key of Object.keys(fields)) {
    if (++count > MAX_ENTRIES || valuesLeft < 0) break;
    let value: unknown;
    try {
      value = fields[key];
    } catch {
      value = "[unreadable]";
    }
    const secret = value !== null && value !== undefined && typeof value !== "boolean" &&
      (SECRET_FIELD.test(key) || SECRET_SUFFIX.test(key));
    plain[key] = secret ? MASK : plainValue(value, depth);
  }
  return plain;
}

function safe(line: string): string {
  const clean = withoutSecrets(line);
  return UNSAFE.test(clean) ? clean.replace(UNSAFE_ALL, hex) : clean;
}

/** The record as one line without its line end. Never throws, whatever the fields are. */
export function formatLine(time: string, level: LogLevel, message: string, fields?: LogFields): string {
  valuesLeft = MAX_VALUES;
  charactersLeft = MAX_CHARACTERS;
  const head = `{"time":"${time}","level":"${level}","message":`;
  const text = JSON.stringify(plainValue(message, 0));
  if (fields === undefined) return safe(`${head}${text}}`);
  let rest: string;
  try {
    const plain = plainFields(fields, 0);
    delete plain["time"];
    delete plain["level"];
    delete plain["message"];
    rest = JSON.stringify(plain).slice(1);
  } catch {
    rest = `"fields":"[unreadable]"}`;
  }
  if (rest === "}") return safe(`${head}${text}}`);
  const line = `${head}${text},${rest}`;
  if (line.length <= MAX_LINE) return safe(line);
  const start = JSON.stringify(rest.slice(0, MAX_LINE / 4));
  return safe(`${head}${text},"cut":${line.length},"start":${start}}`);
}

function quoted(value: string): string {
  return PLAIN.test(value) && !MAY_HOLD_SECRET.test(value)
    ? `"${value}"`
    : safe(JSON.stringify(value.slice(0, 2_048)));
}

/** Methods, paths, peers and callers come again and again; each is looked through once. */
const quotedBefore = new Map<string, string>();
const MOST_KEPT = 1_000;
const LONGEST_KEPT = 200;

function quotedAgain(value: string): string {
  const before = quotedBefore.get(value);
  if (before !== undefined) return before;
  const now = quoted(value);
  if (value.length <= LONGEST_KEPT) {
    if (quotedBefore.size >= MOST_KEPT) quotedBefore.clear();
    quotedBefore.set(value, now);
  }
  return now;
}

/** The line of one answered request. Every request pays for it, so it is joined by hand. */
export function formatAccess(time: string, entry: AccessLine, replica?: string): string {
  const ms = Math.round(entry.ms * 1000) / 1000;
  return `{"time":"${time}","level":"info","message":"request","method":${quotedAgain(entry.method)},"path":${
    quotedAgain(entry.path)
  },"status":${entry.status},"ms":${ms},"requestId":${quoted(entry.requestId)},"peer":${
    quotedAgain(entry.peer)
  }${entry.caller === null ? "" : `,"caller":${quotedAgain(entry.caller)}`}${
    entry.code === null ? "" : `,"code":"${entry.code}"`
  }${replica === undefined ? "" : `,"replica":${quotedAgain(replica)}`}}`;
}
