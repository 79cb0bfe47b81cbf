/** What an answer shows instead of a secret: environment values, and labels and arguments that look secret. */
import { listOf, objectOf, textsOf, type Wire } from "../engine/wire.ts";

export const MASK = "********";

const SECRET_NAME =
  /pass(?:word|wd|phrase)?\b|pass(?:word|wd|phrase)|secret|token|credential|api[-_.]?key|access[-_.]?key|private[-_.]?key|basic[-_.]?auth|\bauth\b|\bpwd\b/i;
/** `scheme://user:password@host` and bearer tokens inside longer text. */
const IN_URL = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,128}:)[^\s@/]{1,512}@/gi;
const BEARER = /\b(bearer|basic)\s+[a-z0-9._~+/=-]{8,}/gi;
/** `--password=x`, `PASSWORD=x` inside an argument. */
const ASSIGNED =
  /((?:^|[\s"';&])-{0,2}[\w.-]{0,64}(?:pass(?:word|wd|phrase)?|secret|token|api[-_]?key|pwd|pw)[\w.-]{0,32}[=:])(?:"[^"]*"|'[^']*'|[^\s"';&]+)/gi;
/** `--password x` inside a shell's command line. */
const FLAGGED =
  /((?:^|[\s"';&])--?[\w-]{0,64}(?:pass(?:word|wd|phrase)?|secret|token|api-?key|pwd)[\w-]{0,32}\s{1,8})(?:"[^"]*"|'[^']*'|[^\s"';&-][^\s"';&]*)/gi;
/** `-u name:password`, but not the numbers of a user and a group. */
const USER = /((?:^|[\s"';&])(?:-u|--user)[\s=]{1,8}["']?[^\s:"']{1,128}:)(?!\d+(?:["'\s]|$))[^\s"']+/g;

export function looksSecret(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Text with the secrets inside it cut out. */
export function maskText(text: string): string {
  return text.replace(IN_URL, `$1${MASK}@`).replace(BEARER, `$1 ${MASK}`)
    .replace(ASSIGNED, `$1${MASK}`).replace(FLAGGED, `$1${MASK}`).replace(USER, `$1${MASK}`);
}

export function maskLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [name, looksSecret(name) ? MASK : maskText(value)]),
  );
}

/** An argument after one that names a secret (`--password`, `hunter2`) is one too. */
export function maskArguments(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const before = args[index - 1] ?? "";
    if (/^--?[\w-]+$/.test(before) && looksSecret(before)) return MASK;
    if (before === "-u" || before === "--user") return arg.replace(/:(?!\d+$).+$/s, `:${MASK}`);
    return maskText(arg);
  });
}

/** `NAME=value` without the value. */
export function maskEnvironment(entries: readonly string[]): string[] {
  return entries.map((entry) => {
    const equals = entry.indexOf("=");
    return equals < 0 ? entry : `${entry.slice(0, equals)}=${MASK}`;
  });
}

/**
 * The engine's own object, masked like our own fields. Lists under the names that hold environments and
 * arguments are masked as such wherever they stand, and all other text is searched for secrets.
 */
export function maskObject(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return maskText(value);
  if (typeof value !== "object" || value === null || depth > 32) return depth > 32 ? null : value;
  if (Array.isArray(value)) return value.map((item) => maskObject(item, depth + 1));
  const masked: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(objectOf(value))) masked[name] = maskField(name, field, depth);
  return masked;
}

function maskField(name: string, field: unknown, depth: number): unknown {
  switch (name) {
    case "Env":
      return field === null ? null : maskEnvironment(textsOf(field));
    case "Cmd":
    case "Args":
    case "Entrypoint":
    case "Test":
    case "CreateCommand":
    case "Command":
      return Array.isArray(field) ? maskArguments(textsOf(field)) : maskObject(field, depth + 1);
    case "Labels":
    case "Annotations":
    case "Options":
    case "DriverOpts":
      return maskMap(objectOf(field), field);
    case "Log": // a health check's own output
      return listOf(field).map((entry) => maskObject(entry, depth + 1));
    default:
      return typeof field === "string" && looksSecret(name) ? MASK : maskObject(field, depth + 1);
  }
}

function maskMap(map: Wire, field: unknown): unknown {
  if (field === null || field === undefined) return field;
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [
      name,
      typeof value === "string" && looksSecret(name) ? MASK : maskObject(value, 1),
    ]),
  );
}
