/** Finds the secrets of a command line that only its program and the words before them tell. */
import { looksSecret, type Span } from "./secret_names.ts";

/** Programs that take a password in a way of their own. */
const MYSQL = /^(?:mysql|mariadb)[\w-]*$/;
const MINIO = /^(?:mc|mcli)$/;
const HTPASSWD = /^(?:htpasswd2?|mosquitto_passwd)$/;
/** No call of it has more, and a text of nothing but its name must not be searched over and over. */
const HTPASSWD_WORDS = 12;
const REGISTRY = /^(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|helm|az|oc)$/;

/** The options whose value is a password, alone or glued to it, and the programs that have them. */
const PASSWORD_OPTIONS: readonly (readonly [program: RegExp, option: string])[] = [
  [/^(?:redis|valkey|keydb)-(?:cli|benchmark)$/, "-a"],
  [/^sshpass$/, "-p"],
  [/^mongo(?:sh|dump|restore|export|import|stat|top|files)?$/, "-p"],
  [/^login$/, "-p"],
  [/^ldap(?:search|add|modify|delete|whoami|passwd|compare|modrdn|exop)$/, "-w"],
  [/^(?:ipmi(?:tool|power)|sqlcmd|bcp|isql|tsql|mosquitto_(?:pub|sub|rr)|zip|unzip|ssh-keygen)$/, "-P"],
  [/^ssh-keygen$/, "-N"],
  [/^(?:cqlsh|7z[arz]?)$/, "-p"],
  [/^ldappasswd$/, "-s"],
  [/^ldappasswd$/, "-a"],
];

/** The options whose value is a user and a password, and the sign between the two. */
const USER_OPTIONS: readonly (readonly [program: RegExp, option: RegExp, sign: string])[] = [
  [/^(?:smb\w+|rpcclient|net|winexe|wmic)$/, /^(?:-U|--user=?)/, "%"],
  [/^lftp$/, /^(?:-u|--user=?)/, ","],
];

const VAULT = /^(?:vault|bao)$/;
/** They take a user, a sign and a password in one word. */
const ORACLE = /^(?:sqlplus|sqlldr|rman|(?:imp|exp)(?:dp)?)$/;
/** The verbs behind which a user and a password follow. */
const USER_VERBS = /^(?:add_user|change_password|authenticate_user)$/;
/** They read the password from what is written into a pipe. */
const READS_PIPE = /^(?:chpasswd|--password-stdin)$/;

const OWN_WAY = new RegExp(
  [
    MYSQL,
    MINIO,
    HTPASSWD,
    REGISTRY,
    VAULT,
    ORACLE,
    ...[...PASSWORD_OPTIONS, ...USER_OPTIONS].map(([program]) => program),
  ]
    .map(({ source }) => source).join("|"),
);

/** Yields the words of a command that are secrets, and which part of each. */
export function* secretWords(words: readonly string[]): Generator<readonly [index: number, span: Span]> {
  let program = "";
  let isFirst = true;
  for (const [index, word] of words.entries()) {
    if (/^[|;&]$/.test(word)) {
      [program, isFirst] = ["", true];
      continue;
    }
    const name = word.slice(word.lastIndexOf("/") + 1);
    const isLogin = name !== "login" || REGISTRY.test(program);
    const before = words[index - 1] ?? "";
    if (isFirst || (isLogin && OWN_WAY.test(name))) {
      program = name;
      if (HTPASSWD.test(name)) yield* htpasswdSecrets(words, index);
    }
    isFirst = false;
    if (READS_PIPE.test(name)) yield* pipedSecrets(words, index);
    const start = optionStart(program, before, word) ?? userStart(before, word);
    if (start !== null) yield [index, [start, word.length]];
    else if (isNamedBefore(words, index)) yield [index, [0, word.length]];
    else if (USER_VERBS.test(words[index - 2] ?? "")) yield [index, [0, word.length]];
    else if (VAULT.test(program) && before === "login" && !word.startsWith("-")) {
      yield [index, [0, word.length]];
    } else if (MINIO.test(program) && isMinioCredential(words, index)) yield [index, [0, word.length]];
  }
}

/** Where a password begins that an option of the program gives; null where it gives none. */
function optionStart(program: string, before: string, word: string): number | null {
  if (MYSQL.test(program) && /^-p[^\s]/.test(word)) return 2;
  if (/^-pass(?:in|out)?$/.test(before) && word.startsWith("pass:")) return "pass:".length;
  if (ORACLE.test(program) && /^[^/@\s]+\/[^/@\s]+(?:@|$)/.test(word)) return word.indexOf("/") + 1;
  for (const [programs, option] of PASSWORD_OPTIONS) {
    if (!programs.test(program)) continue;
    if (before === option) return 0;
    if (word.startsWith(option) && word.length > option.length) return option.length;
  }
  for (const [programs, option, sign] of USER_OPTIONS) {
    const at = word.indexOf(sign);
    if (at > 0 && programs.test(program) && (option.test(word) || option.test(before))) return at + 1;
  }
  return null;
}

/** Where the password of `user:password` begins; a number is a group, as in `1000:1000`. */
function userStart(before: string, word: string): number | null {
  const colon = word.indexOf(":");
  if (colon < 0 || /^\d+$/.test(word.slice(colon + 1))) return null;
  if (/^(?:-u|-U|--user|--proxy-user)$/.test(before) && colon > 0) return colon + 1;
  return /^--user=[^:]+:/.test(word) || /^-u[^-:\s][^:]*:/.test(word) ? colon + 1 : null;
}

/** Whether the word before says that this one is a secret: `--password x`, or `set aws_secret_access_key x`. */
function isNamedBefore(words: readonly string[], index: number): boolean {
  const before = words[index - 1] ?? "";
  if (/^--?[\w-]+$/.test(before)) return looksSecret(before.replace(/^-+/, "")) && !/^-/.test(words[index]!);
  return (words[index - 2] === "set" || /^aws_/i.test(before)) && looksSecret(before);
}

/** `htpasswd -b FILE USER PASSWORD`, and `htpasswd -nb USER PASSWORD`. */
function* htpasswdSecrets(words: readonly string[], at: number): Generator<readonly [number, Span]> {
  let options = "";
  let operands = 0;
  for (let index = at + 1; index < Math.min(words.length, at + HTPASSWD_WORDS); index++) {
    const word = words[index]!; // it is below their number
    if (/^(?:[|;&]|\d?>.*)$/.test(word)) return;
    if (/^-\w+$/.test(word) && operands === 0) options += word;
    else if (!/C$/.test(words[index - 1]!) || operands > 0) operands++;
    if (options.includes("b") && operands > (options.includes("n") ? 1 : 2)) yield [index, [0, word.length]];
  }
}

/** Words before a reader of a pipe that are searched: no call has more, and each reader searches anew. */
const PIPED_WORDS = 12;

/** `echo PASSWORD | docker login --password-stdin`, and `echo USER:PASSWORD | chpasswd`. */
function* pipedSecrets(words: readonly string[], at: number): Generator<readonly [number, Span]> {
  const from = Math.max(0, at - PIPED_WORDS);
  const near = words.slice(from, at);
  const pipe = near.lastIndexOf("|");
  const begin = near.findLastIndex((word, index) => index < pipe && /^(?:echo|printf)$/.test(word));
  if (begin < 0 || near.slice(begin, pipe).some((word) => /^[|;&]$/.test(word))) return;
  for (let index = begin + 1; index < pipe; index++) {
    const word = near[index]!; // it is before the pipe
    if (!word.startsWith("-")) yield [from + index, [0, word.length]];
  }
}

/** `mc alias set NAME URL ACCESS SECRET`, and `mc config host add` with the same. */
function isMinioCredential(words: readonly string[], index: number): boolean {
  return [index - 4, index - 3].some((verb) =>
    /^(?:set|add)$/.test(words[verb] ?? "") && /^(?:alias|host)$/.test(words[verb - 1] ?? "")
  );
}
