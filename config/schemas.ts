/** The shapes that settings have; each is made when its setting is given, because most starts give few of them. */
import { z } from "zod";
import { ROLES } from "../core/roles.ts";

/** An environment variable holds a list as text; the file may hold either. `none` is the empty list. */
export function listOf<Item extends z.ZodType>(
  item: Item,
  separator: "," | ":",
  parse: (part: string) => unknown = String,
) {
  return z.preprocess(
    (value) => {
      if (typeof value !== "string") return value;
      if (value.trim() === "none") return [];
      return value.split(separator).map((part) => part.trim()).filter((part) => part !== "").map(parse);
    },
    z.array(item, { error: `expected a list, or text separated by "${separator}"` }).readonly(),
  );
}

export function text() {
  return z.string({ error: "expected text" }).min(1, "must not be empty");
}

export function matching(pattern: RegExp, message: string) {
  return text().regex(pattern, message);
}

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `expected one of ${values.join(", ")}` });
}

export function absolutePath() {
  return text().refine(
    (path) => path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path),
    "expected an absolute path",
  );
}

export function wholeNumber(least: number, most: number) {
  const error = `expected a whole number from ${least} to ${most}`;
  return z.preprocess(
    (value) => typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value,
    z.int({ error }).min(least, error).max(most, error),
  );
}

export function httpUrl() {
  return text().refine((address) => {
    const url = URL.parse(address);
    return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "" &&
      url.hash === "";
  }, "expected an http or https address without credentials, query or fragment");
}

export function baseUrl() {
  return httpUrl().transform((url) => url.replace(/\/+$/, ""));
}

export function issuer() {
  return z.union([z.literal("github"), httpUrl()], {
    error: `expected "github" or an http or https address`,
  });
}

export function databaseUrl() {
  return text().refine(
    (address) => /^postgres(?:ql)?:$/.test(URL.parse(address)?.protocol ?? ""),
    "expected a postgres:// address",
  );
}

/** Where entries of the audit log go: `tcp://host:port`, `tls://host:port` or `udp://host:port`. */
export function syslog() {
  return text().transform((address, context) => {
    const url = URL.parse(address);
    const transport = /^(tcp|tls|udp):$/.exec(url?.protocol ?? "")?.[1] as "tcp" | "tls" | "udp" | undefined;
    const isBare = url !== null && url.username === "" && url.password === "" && url.search === "" &&
      url.hash === "" && /^\/?$/.test(url.pathname);
    const port = Number(url?.port ?? 0);
    if (transport === undefined || !isBare || url.hostname === "" || !(port > 0)) {
      context.addIssue({
        code: "custom",
        message: "expected tcp://host:port, tls://host:port or udp://host:port, and nothing else",
      });
      return z.NEVER;
    }
    return { transport, hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"), port };
  });
}

/** One engine to talk to; a remote one needs mutual TLS. */
function engine() {
  return z.strictObject({
    name: matching(
      /^[a-z0-9][a-z0-9_.-]{0,62}$/,
      "expected a name of lower-case letters, digits, dots and dashes",
    ),
    url: text(),
    ca: absolutePath().optional(),
    cert: absolutePath().optional(),
    key: absolutePath().optional(),
  }).check((context) => {
    const { url, ca, cert, key } = context.value;
    const refuse = (message: string) =>
      context.issues.push({ code: "custom", message, input: url, path: ["url"] });
    const parsed = URL.parse(url);
    if (parsed !== null && parsed.protocol === "unix:") {
      if (!parsed.pathname.startsWith("/") || parsed.host !== "") refuse("expected unix:///absolute/path");
      return;
    }
    if (parsed === null || !/^(tcp|https):$/.test(parsed.protocol) || parsed.host === "") {
      refuse("expected unix:///absolute/path or tcp://host:port");
    } else if (ca === undefined || cert === undefined || key === undefined) {
      refuse("an engine on another host needs mutual TLS: set ca, cert and key in config.yaml");
    }
  });
}
export type Engine = z.output<ReturnType<typeof engine>>;

export function engines() {
  return listOf(engine(), ",", namedUrl).refine(
    (list) => new Set(list.map(({ name }) => name)).size === list.length,
    "two engines have the same name",
  );
}

function namedUrl(part: string): unknown {
  const at = part.indexOf("=");
  return { name: part.slice(0, Math.max(at, 0)).trim(), url: part.slice(at + 1).trim() };
}

/** Who gets which role: the first rule whose claim holds the value wins; no rule, no entry. */
function roleRule() {
  return z.strictObject({
    claim: matching(/^[A-Za-z_][A-Za-z0-9_:/.-]{0,127}$/, "expected the name of a claim"),
    value: text(),
    role: oneOf(ROLES),
  });
}
export type RoleRule = z.output<ReturnType<typeof roleRule>>;

export function roles() {
  return listOf(roleRule(), ",", ruleOf);
}

/** `claim=value:role`; the value may hold colons. */
function ruleOf(part: string): unknown {
  const equals = part.indexOf("=");
  const colon = part.lastIndexOf(":");
  return {
    claim: part.slice(0, Math.max(equals, 0)).trim(),
    value: part.slice(equals + 1, Math.max(colon, equals + 1)).trim(),
    role: part.slice(colon + 1).trim(),
  };
}

function pluginName() {
  return matching(/^[a-z][a-z0-9-]{0,40}$/, "expected the name of a plugin");
}

export function pluginNames() {
  return listOf(pluginName(), ",");
}

export function pluginSettings() {
  return z.record(pluginName(), z.unknown(), {
    error: "expected a mapping from plugin names to their settings",
  });
}
