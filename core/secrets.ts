/** Finds secrets inside text, arguments and names, so that answers, findings and the audit log can mask them. */
import { secretWords } from "./command_secrets.ts";
import { looksSecret, type Span } from "./secret_names.ts";

export { looksSecret, type Span };

/** The text that replaces a secret. */
export const MASK = "********";

/** Beside Compose's own short forms, as `auth:1.2` for an image or a host, this one says nothing. */
const COLON = "assignment with a colon";

/** In a file it is a key and its value, which the parser tells apart better. */
const SPACED_COLON = "name, colon and value";

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
    /(?<![\w.-])[\w.-]{0,66}(?:pass(?:word|wd|phrase)?|secret|token|(?:api|access|private|account)[-_]?key|pwd|pw|jwt|auth)[\w.-]{0,32}=(?!\/\/)(?<secret>"[^"]+"|'[^']+'|[^\s"';&]+)/dgi,
  ],
  [
    COLON,
    /(?:^|[\s"';&?,{])-{0,2}[\w.-]{0,64}(?:pass(?:word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|pwd|pw|jwt|auth)[\w.-]{0,32}:(?!\/\/)(?<secret>"[^"]+"|'[^']+'|[^\s"';&]+)/dgi,
  ],
  [
    SPACED_COLON,
    /(?:^|[\s"'`;&?,{([=])-{0,2}(?:[\w.-]{0,64}[-_.])?(?:pass(?:word|wd|phrase)|secret|token|(?:secret|api|access|private)[-_]?key|pwd|jwt|auth|authorization|cookie):[ \t]+(?!(?:bearer|basic)\b)(?<secret>"[^"]+"|'[^']+'|[^\s"',;&{}[\]|>$][^\s"';&]*)/dgi,
  ],
  [
    "assignment with spaces",
    /(?:^|[\s"';&?,{])[\w.-]{0,64}(?:pass(?:word|wd|phrase)|secret|token|api[-_]?key|pwd)[\w.-]{0,32}[ \t]{1,8}=[ \t]{0,8}(?<secret>"[^"]+"|'[^']+'|[^\s"';&=]+)/dgi,
  ],
  ["password in SQL", /\b(?:identified\s{1,8}by|password)\s{1,8}(?<secret>'[^'\n]+'|"[^"\n]+")/dgi],
  [
    "default of a variable",
    /\$\{\w{0,64}(?:pass(?:word|wd|phrase)?|secret|token|(?:api|access|private|account)_?key|pwd|jwt|auth)\w{0,32}:?[-+](?!\$)(?<secret>[^{}"'\n]{1,512})/dgi,
  ],
  [
    "credential of a header",
    /\bauthorization:[ \t]{0,8}(?!(?:bearer|basic)\b)[\w-]{1,32}[ \t]{1,8}(?<secret>[^\s"',;&]+)/dgi,
  ],
  [
    "password in an address of Oracle",
    /\bjdbc:oracle:\w{1,16}:[^\s/@"']{1,128}\/(?<secret>[^\s@"']{1,512})@/dgi,
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
    "field of a Python dictionary",
    /'[\w.-]{0,64}(?:pass(?:word|wd|phrase)?|secret|token|api[-_]?key|private[-_]?key|credential|jwt)[\w.-]{0,32}'\s{0,4}:\s{0,4}'(?<secret>[^']+)/dgi,
  ],
  [
    "element of XML",
    /<(?:[\w.-]{1,32}:)?[\w.-]{0,64}(?:pass(?:word|wd|phrase)?|secret|token|api[-_]?key|private[-_]?key|credential|jwt)[\w.-]{0,32}(?:\s[^<>]{0,512})?>(?<secret>[^<]+)<\//dgi,
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
  /[@=%,]|bearer|basic|pass|cookie|secret|token|key|pwd?\b|pw|jwt|auth|credential|\bgh[pousr]_|_pat_|\bgl[a-z]+-|\bxox|\bxapp-|webhooks|hooks\.|AKIA|ASIA|k_live|k_test|\bsk_|\brk_|whsec|npm_|AIza|eyJ|PRIVATE|berth_|\s-[apuwn]|\bmc\s|add_user|oracle|sqlplus|\bvault\s|\bbao\s|sqlldr|rman|identified/i;

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
  return joined(formsIn(text, [COLON, SPACED_COLON]));
}

function spansOf(text: string, colons: boolean): Span[] {
  if (!MAY_HOLD.test(text)) return [];
  const spans = [...formsIn(text, colons ? [] : [COLON]), ...spansOfCommand(text, 0, 0)];
  return joined(spans.filter(([start, end]) => text.slice(start, end) !== MASK));
}

function formsIn(text: string, without: readonly string[]): Span[] {
  const spans: Span[] = [];
  for (const [form, pattern] of FORMS) {
    if (without.includes(form)) continue;
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

/** The text with its secrets masked. */
export function maskText(text: string): string {
  return maskSpans(text, secretSpans(text));
}

/** Masks the secrets in a declared text. */
export function maskDeclared(text: string): string {
  return maskSpans(text, declaredSpans(text));
}

/** The text with what stands at the spans masked; they come in order and do not overlap. */
function maskSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let masked = "";
  let at = 0;
  for (const [start, end] of spans) {
    masked += text.slice(at, start) + MASK;
    at = end;
  }
  return masked + text.slice(at);
}

/**
 * Arguments with their secrets masked. The words before them, as a program that stands in a list of its own, say which
 * of them are secrets.
 */
export function maskArguments(args: readonly string[], before: readonly string[] = []): string[] {
  const spans = args.map((arg) => [...secretSpans(arg)]);
  for (const [index, span] of argumentSpans([...before, ...args])) {
    if (index >= before.length) spans[index - before.length]!.push(span); // there is one for each argument
  }
  return args.map((arg, index) => maskSpans(arg, joined(spans[index]!)));
}

/** What follows a program in one text, masked. */
export function maskCommandOf(program: readonly string[], text: string): string {
  const before = program.join(" ").length + 1;
  const spans = secretSpans(`${program.join(" ")} ${text}`).filter(([start]) => start >= before);
  return maskSpans(text, spans.map(([start, end]) => [start - before, end - before]));
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

/** A shorter value may be any word. */
const LEAST_VALUE = 6;

/** Masks the values of an environment whose names look secret, in whatever form a program repeats them, and all else as `maskText`. */
export function maskSaid(text: string, environment: readonly string[]): string {
  const values = environment.flatMap((entry) => {
    const equals = entry.indexOf("=");
    const value = entry.slice(equals + 1);
    return equals > 0 && value.length >= LEAST_VALUE && looksSecret(entry.slice(0, equals)) ? [value] : [];
  }).sort((one, other) => other.length - one.length);
  return maskText(values.reduce((done, value) => done.replaceAll(value, MASK), text));
}

/** Values whose names look secret are masked whole, all others are searched. */
export function maskValues(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, looksSecret(name) ? MASK : maskText(value)]),
  );
}
