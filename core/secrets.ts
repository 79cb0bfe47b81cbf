/** Finds secrets inside text, arguments and names, so that answers, findings and the audit log can mask them. */

/** The text that replaces a secret. */
export const MASK = "********";

/** The place of a secret in a text: from its first character to the one behind its last. */
export type Span = readonly [start: number, end: number];

/** A name whose value is a secret: of a variable, a label, a key in a file. */
const SECRET_NAME =
  /pass(?:word|wd|phrase)|(?:^|[-_.])pass\b|secret|token|credential|jwt|private|api[-_.]?key|access[-_.]?key|(?:^|[-_.])key$|basic[-_.]?auth|\bauth\b|(?:^|[-_.])pwd?\b/i;
/** These name a file or a place, not the secret that is in it. */
const NAMES_A_PLACE = /[-_.](?:file|path|dir|url|uri|name|id|check|type|ttl|timeout|length|policy)$/i;

export function looksSecret(name: string): boolean {
  return SECRET_NAME.test(name) && !NAMES_A_PLACE.test(name);
}

/** Beside Compose's own short forms, as `auth:1.2` for an image or a host, this one says nothing. */
const COLON = "assignment with a colon";

/** Every form that is looked for: what it is called, and a pattern whose group `secret` is the part to mask. */
export const FORMS: readonly (readonly [form: string, pattern: RegExp])[] = [
  ["password in a URL", /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,128}:(?<secret>[^\s@/]{1,512})@/dgi],
  ["token as user of a URL", /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?<secret>[\w~+.-]{20,512})@/dgi],
  [
    "password in a database address",
    /(?:^|[\s"'=])[\w.-]{1,128}:(?<secret>[^\s@"']{1,512})@(?:tcp|unix|udp)\(/dgi,
  ],
  ["bearer or basic credential", /\b(?:bearer|basic)\s+(?<secret>[a-z0-9._~+/=-]{8,})/dgi],
  [
    "assignment",
    /(?:^|[\s"';&?,{])-{0,2}[\w.-]{0,64}(?:pass(?:word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|pwd|pw|jwt|auth)[\w.-]{0,32}=(?!\/\/)(?<secret>"[^"]+"|'[^']+'|[^\s"';&]+)/dgi,
  ],
  [
    COLON,
    /(?:^|[\s"';&?,{])-{0,2}[\w.-]{0,64}(?:pass(?:word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|pwd|pw|jwt|auth)[\w.-]{0,32}:(?!\/\/)(?<secret>"[^"]+"|'[^']+'|[^\s"';&]+)/dgi,
  ],
  [
    "assignment to a key",
    /(?:^|[\s"';&?])-{0,2}(?:[\w.-]{0,64}[-_.])?key=(?<secret>"[^"]+"|'[^']+'|[^\s"';&]+)/dgi,
  ],
  [
    "field of JSON",
    /"[\w.-]{0,64}(?:pass(?:word|wd|phrase)?|secret|token|api[-_]?key|private[-_]?key|credential|jwt)[\w.-]{0,32}\\{0,8}"\s{0,4}:\s{0,4}\\{0,8}"(?<secret>[^"\\]+)/dgi,
  ],
  [
    "parameter of a URL",
    /[?&](?:api_?key|apikey|key|sig|signature|code|auth|password|token|access_token)=(?<secret>[^\s&"'#]+)/dgi,
  ],
  ["GitHub token", /\b(?<secret>gh[pousr]_[A-Za-z0-9]{16,255}|github_pat_[A-Za-z0-9_]{20,255})/dg],
  ["GitLab token", /\b(?<secret>gl(?:pat|dt|rt|ft|soat|cbt|ptt|agent)-[A-Za-z0-9_-]{16,255})/dg],
  ["Slack token", /\b(?<secret>xox[a-z]-[A-Za-z0-9-]{8,255}|xapp-[A-Za-z0-9-]{8,255})/dg],
  ["Slack webhook", /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<secret>[A-Za-z0-9/_-]{8,255})/dg],
  ["Discord webhook", /discord(?:app)?\.com\/api\/webhooks\/\d{1,32}\/(?<secret>[\w-]{16,255})/dg],
  ["AWS access key", /\b(?<secret>(?:AKIA|ASIA)[A-Z0-9]{16})\b/dg],
  ["Stripe key", /\b(?<secret>(?:sk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,255})/dg],
  ["npm token", /\b(?<secret>npm_[A-Za-z0-9]{30,255})/dg],
  ["Google key", /\b(?<secret>AIza[A-Za-z0-9_-]{35})/dg],
  [
    "JSON Web Token",
    /(?<!\w|\w-)(?<secret>eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{2,8192}(?:\.[A-Za-z0-9_-]{0,8192})?)/dg,
  ],
  ["age key", /\b(?<secret>AGE-SECRET-KEY-1[A-Z0-9]{20,255})/dgi],
  ["key of berth", /\bberth_[0-9a-f]{16}_(?<secret>[A-Za-z0-9_-]{20,})/dg],
  [
    "private key block",
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?<secret>(?:[^-]|-(?!----)){1,65536})/dg,
  ],
];

/** A cheap look before the patterns: most text holds none of these. */
const MAY_HOLD =
  /[@=]|bearer|basic|pass|secret|token|key|pwd?\b|pw|jwt|auth|credential|\bgh[pousr]_|_pat_|\bgl[a-z]+-|\bxox|\bxapp-|webhooks|hooks\.|AKIA|ASIA|k_live|k_test|\bsk_|\brk_|whsec|npm_|AIza|eyJ|PRIVATE|berth_|\s-[apu]|\bmc\s/i;

/** The depth to which quotes inside quotes are read: a shell's command in an argument in a text of JSON. */
const MAX_DEPTH = 3;

/** Returns the places of secrets in a text, in order and without overlaps. */
export function secretSpans(text: string): Span[] {
  return spansOf(text, true);
}

/** The same in what a file declares, where `auth:1.2` is an image, a port, a mount or a host. */
export function declaredSpans(text: string): Span[] {
  return spansOf(text, false);
}

/** Returns the secrets known by their form in a whole file, whose words make no command line. */
export function formSpans(text: string): Span[] {
  return joined(formsIn(text, false));
}

function spansOf(text: string, colons: boolean): Span[] {
  if (!MAY_HOLD.test(text)) return [];
  const spans = [...formsIn(text, colons), ...spansOfCommand(text, 0, 0)];
  return joined(spans.filter(([start, end]) => text.slice(start, end) !== MASK));
}

function formsIn(text: string, colons: boolean): Span[] {
  const spans: Span[] = [];
  for (const [form, pattern] of FORMS) {
    if (form === COLON && !colons) continue;
    for (const match of text.matchAll(pattern)) {
      spans.push(withoutQuotes(text, match.indices!.groups!["secret"]!));
    }
  }
  return spans;
}

/** The secrets that only the words before them tell; a quoted word may be a command line itself. */
function spansOfCommand(text: string, offset: number, depth: number): Span[] {
  const spans: Span[] = [];
  const words = [...text.matchAll(WORD)].map(({ 0: word, index }) => {
    const isQuoted = /^["']/.test(word);
    return {
      word: isQuoted ? word.slice(1, -1) : word,
      start: offset + index + (isQuoted ? 1 : 0),
      isQuoted,
    };
  });
  for (const [index, [from, to]] of secretWords(words.map(({ word }) => word))) {
    const { start } = words[index]!;
    spans.push([start + from, start + to]);
  }
  for (const { word, start, isQuoted } of depth < MAX_DEPTH ? words : []) {
    if (isQuoted && /\s/.test(word)) spans.push(...spansOfCommand(word, start, depth + 1));
  }
  return spans;
}

/** A word of a command line; a quoted one is one word, and `;`, `|` and `&` end a command. */
const WORD = /"[^"]*"|'[^']*'|[^\s"'|;&]+|[|;&]/g;

function withoutQuotes(text: string, [start, end]: readonly [number, number]): Span {
  const isQuoted = /["']/.test(text[start] ?? "") && text[start] === text[end - 1] && end - start > 2;
  return isQuoted ? [start + 1, end - 1] : [start, end];
}

/** In order, those that overlap as one. */
export function joined(spans: Span[]): Span[] {
  const result: [number, number][] = [];
  for (const [start, end] of spans.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = result.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

/** Programs that take a password in a way of their own. */
const MYSQL = /^(?:mysql|mariadb)[\w-]*$/;
const REDIS = /^(?:redis|valkey|keydb)-(?:cli|benchmark)$/;
const SSHPASS = /^sshpass$/;
const MINIO = /^(?:mc|mcli)$/;

/** Which words of a command are secrets, and which part of each. */
function* secretWords(words: readonly string[]): Generator<readonly [index: number, span: Span]> {
  let program = "";
  let isFirst = true;
  for (const [index, word] of words.entries()) {
    if (/^[|;&]$/.test(word)) {
      [program, isFirst] = ["", true];
      continue;
    }
    const name = word.slice(word.lastIndexOf("/") + 1);
    if (isFirst || [MYSQL, REDIS, SSHPASS, MINIO].some((one) => one.test(name))) program = name;
    isFirst = false;
    const before = words[index - 1] ?? "";
    const whole: Span = [0, word.length];
    const colon = word.indexOf(":");
    if (/^--?[\w-]+$/.test(before) && looksSecret(before.replace(/^-+/, "")) && !/^-/.test(word)) {
      yield [index, whole];
    } else if (
      (before === "-u" || before === "--user") && colon > 0 && !/^\d+$/.test(word.slice(colon + 1))
    ) {
      yield [index, [colon + 1, word.length]];
    } else if (/^--user=[^:]+:/.test(word) && !/:\d+$/.test(word)) yield [index, [colon + 1, word.length]];
    else if (/^-u[^-:\s][^:]*:/.test(word) && !/:\d+$/.test(word)) yield [index, [colon + 1, word.length]];
    else if (MYSQL.test(program) && /^-p[^\s]/.test(word)) yield [index, [2, word.length]];
    else if (REDIS.test(program) && before === "-a") yield [index, whole];
    else if (SSHPASS.test(program) && before === "-p") yield [index, whole];
    else if (SSHPASS.test(program) && /^-p[^\s]/.test(word)) yield [index, [2, word.length]];
    else if (MINIO.test(program) && isMinioCredential(words, index)) yield [index, whole];
  }
}

/** `mc alias set NAME URL ACCESS SECRET`, and `mc config host add` with the same. */
function isMinioCredential(words: readonly string[], index: number): boolean {
  return [index - 4, index - 3].some((verb) =>
    /^(?:set|add)$/.test(words[verb] ?? "") && /^(?:alias|host)$/.test(words[verb - 1] ?? "")
  );
}

/** The text with its secrets masked. */
export function maskText(text: string): string {
  return maskSpans(text, secretSpans(text));
}

/** Masks the secrets in a declared text. */
export function maskDeclared(text: string): string {
  return maskSpans(text, declaredSpans(text));
}

/** The text with what stands at the spans masked; they come in order and do not overlap. */
export function maskSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let masked = "";
  let at = 0;
  for (const [start, end] of spans) {
    masked += text.slice(at, start) + MASK;
    at = end;
  }
  return masked + text.slice(at);
}

/** Arguments with their secrets masked; one behind a flag that names a secret (`--password`, `hunter2`) is one too. */
export function maskArguments(args: readonly string[]): string[] {
  const masked = args.map(maskText);
  for (const [index, span] of argumentSpans(args)) masked[index] = maskSpans(args[index]!, [span]);
  return masked;
}

/** The arguments that are secrets by those before them, and which part of each. */
export function argumentSpans(args: readonly string[]): Iterable<readonly [index: number, span: Span]> {
  return secretWords(args);
}

/** `NAME=value` without the value. */
export function maskEnvironment(entries: readonly string[]): string[] {
  return entries.map((entry) => {
    const equals = entry.indexOf("=");
    return equals < 0 ? entry : `${entry.slice(0, equals)}=${MASK}`;
  });
}

/** Values whose names look secret are masked whole, all others are searched. */
export function maskValues(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, looksSecret(name) ? MASK : maskText(value)]),
  );
}
