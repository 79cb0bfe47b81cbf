/** What can be set, in one schema: the names, the defaults, the meanings and what is refused. */
import { z } from "zod";
import { Role } from "../core/access.ts";
import { LOG_LEVELS } from "../core/log.ts";

/** An environment variable holds a list as text; the file may hold either. `none` is the empty list. */
function listOf<Item extends z.ZodType>(
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

const text = z.string({ error: "expected text" }).min(1, "must not be empty");

const absolutePath = text.refine(
  (path) => path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path),
  "expected an absolute path",
);

function wholeNumber(least: number, most: number) {
  const error = `expected a whole number from ${least} to ${most}`;
  return z.preprocess(
    (value) => typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value,
    z.int({ error }).min(least, error).max(most, error),
  );
}

function parsedUrl(address: string): URL | null {
  return URL.parse(address);
}

const httpUrl = text.refine((address) => {
  const url = parsedUrl(address);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "" &&
    url.hash === "";
}, "expected an http or https address without credentials, query or fragment");

/** One engine to talk to; a remote one needs mutual TLS. */
const EngineObject = z.strictObject({
  name: text.regex(
    /^[a-z0-9][a-z0-9_.-]{0,62}$/,
    "expected a name of lower-case letters, digits, dots and dashes",
  ),
  url: text,
  ca: absolutePath.optional().describe("Certificate authority of the engine, a PEM file"),
  cert: absolutePath.optional().describe("Our certificate, a PEM file"),
  key: absolutePath.optional().describe("Our key, a PEM file"),
}).check((context) => {
  const { url, ca, cert, key } = context.value;
  const refuse = (message: string) =>
    context.issues.push({ code: "custom", message, input: url, path: ["url"] });
  const parsed = parsedUrl(url);
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
export type Engine = z.infer<typeof EngineObject>;

const engines = listOf(EngineObject, ",", namedUrl).refine(
  (list) => new Set(list.map(({ name }) => name)).size === list.length,
  "two engines have the same name",
).nullable();

function namedUrl(part: string): unknown {
  const at = part.indexOf("=");
  return { name: part.slice(0, Math.max(at, 0)).trim(), url: part.slice(at + 1).trim() };
}

/** Who gets which role: the first rule whose claim holds the value wins; no rule, no entry. */
const RoleRuleObject = z.strictObject({
  claim: text.regex(/^[A-Za-z_][A-Za-z0-9_:/.-]{0,127}$/, "expected the name of a claim"),
  value: text,
  role: Role,
});
export type RoleRule = z.infer<typeof RoleRuleObject>;

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

const pluginName = text.regex(/^[a-z][a-z0-9-]{0,40}$/, "expected the name of a plugin");

interface About {
  /** The default in words, where the value itself would not say it. */
  readonly default: string;
}

/** The meaning for people, and the default as the documentation shows it. */
function setting<Schema extends z.ZodType>(schema: Schema, meaning: string, about: About): Schema {
  return schema.describe(meaning).meta({ shownDefault: about.default });
}

const fields = {
  host: setting(
    text.regex(/^[A-Za-z0-9.:-]{1,253}$/, "expected an address or a host name").default("127.0.0.1"),
    "Address to listen on. Anything but loopback needs TLS or trusted proxies",
    { default: "127.0.0.1" },
  ),
  port: setting(
    wholeNumber(0, 65_535).default(8700),
    "Port to listen on; 0 takes a free one and says which",
    {
      default: "8700",
    },
  ),
  data: setting(
    z.string({ error: "no home folder is known: set BERTH_DATA" }).pipe(absolutePath),
    "Folder for the store, log, keys and setup token; created with mode 0700",
    { default: "the platform's data folder for `berth`" },
  ),
  roots: setting(
    listOf(absolutePath, ":").default([]),
    "Folders under which workspaces may be registered, separated by `:`",
    { default: "the home folder of the user" },
  ),
  engines: setting(
    engines.default(null),
    "Container engines, `name=unix:///path` or `name=tcp://host:2376` separated by commas; `none` for no engine. " +
      "In the file a list of `name`, `url`, and for a remote engine `ca`, `cert`, `key`",
    { default: "found by looking" },
  ),
  baseUrl: setting(
    httpUrl.transform((url) => url.replace(/\/+$/, "")).nullable().default(null),
    "The address people use; its authority joins the Host and Origin lists",
    { default: "from host and port" },
  ),
  trustedProxies: setting(
    listOf(text.regex(/^[0-9A-Fa-f.:]{2,45}$/, "expected an IP address"), ",").default([]),
    "IP addresses of proxies whose `X-Forwarded-*` headers count, separated by commas",
    { default: "–" },
  ),
  tlsCert: setting(
    absolutePath.nullable().default(null),
    "Certificate chain for listening with TLS, a PEM file",
    {
      default: "–",
    },
  ),
  tlsKey: setting(absolutePath.nullable().default(null), "Key of that certificate, a PEM file", {
    default: "–",
  }),
  databaseUrl: setting(
    text.refine(
      (address) => /^postgres(?:ql)?:$/.test(parsedUrl(address)?.protocol ?? ""),
      "expected a postgres:// address",
    ).nullable().default(null),
    "`postgres://…` for several replicas; this version refuses it, as it has no such store yet",
    { default: "SQLite in the data folder" },
  ),
  idpIssuer: setting(
    z.union([z.literal("github"), httpUrl], { error: `expected "github" or an http or https address` })
      .nullable()
      .default(null),
    "Identity provider: the issuer's address, or `github`",
    { default: "–" },
  ),
  idpClientId: setting(text.nullable().default(null), "Our client id at the identity provider", {
    default: "–",
  }),
  idpClientSecretFile: setting(
    absolutePath.nullable().default(null),
    "File that holds our client secret; without one we are a public client",
    { default: "–" },
  ),
  idpRedirectUris: setting(
    listOf(httpUrl, ",").default([]),
    "Addresses the identity provider may send people back to, separated by commas",
    { default: "–" },
  ),
  roles: setting(
    listOf(RoleRuleObject, ",", ruleOf).default([]),
    "Who gets which role: `claim=value:role` separated by commas, first match wins, no match is refused. " +
      "In the file a list of `claim`, `value`, `role`",
    { default: "–" },
  ),
  plugins: setting(
    listOf(pluginName, ",").nullable().default(null),
    "Names of the plugins that run, separated by commas; `none` for no plugin",
    { default: "all" },
  ),
  pluginSettings: setting(
    z.record(pluginName, z.unknown(), { error: "expected a mapping from plugin names to their settings" })
      .default({}),
    "Settings of plugins, by their name; only in the file",
    { default: "–" },
  ),
  logLevel: setting(
    z.enum(LOG_LEVELS, { error: `expected one of ${LOG_LEVELS.join(", ")}` }).default("info"),
    "Least level that is logged: `debug`, `info`, `warn` or `error`",
    { default: "info" },
  ),
  minDescriptors: setting(
    wholeNumber(0, 1_048_576).default(4096),
    "File descriptors that must be available at start",
    { default: "4096" },
  ),
} as const;

type Fields = typeof fields;
/** All settings, each checked and complete. */
export type Settings = { readonly [Key in keyof Fields]: z.output<Fields[Key]> };

/** One mistake: which setting, where inside it, and what is wrong. */
export interface Mistake {
  readonly key: string;
  readonly inside: readonly string[];
  readonly message: string;
}

/** Checks every field by itself first, so that one mistake hides no other. */
export function checkSettings(raw: Readonly<Record<string, unknown>>): Settings | readonly Mistake[] {
  const mistakes: Mistake[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, schema] of Object.entries(fields)) {
    const parsed = schema.safeParse(raw[key]);
    if (parsed.success) values[key] = parsed.data;
    else mistakes.push(...mistakesOf(key, parsed.error.issues));
  }
  // Fields that failed are absent; what one field cannot know about another is asked of those that are there.
  mistakes.push(...contradictions(values as Partial<Settings>));
  return mistakes.length > 0 ? mistakes : values as Settings;
}

/** The first thing wrong at each place; the rest often only repeats it. */
function mistakesOf(
  key: string,
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): Mistake[] {
  const byPlace = new Map<string, Mistake>();
  for (const { path, message } of issues) {
    const place = path.join(".");
    if (!byPlace.has(place)) byPlace.set(place, { key, inside: path.map(String), message });
  }
  return [...byPlace.values()];
}

function contradictions(settings: Partial<Settings>): Mistake[] {
  const { host, tlsCert, tlsKey, trustedProxies, idpIssuer, idpClientId, idpRedirectUris } = settings;
  const found: Mistake[] = [];
  const refuse = (key: keyof Settings, message: string) => found.push({ key, inside: [], message });
  if (tlsCert !== undefined && tlsKey !== undefined && (tlsCert === null) !== (tlsKey === null)) {
    refuse(tlsCert === null ? "tlsCert" : "tlsKey", "a certificate and its key belong together");
  }
  if (host !== undefined && !isLoopback(host) && tlsCert === null && trustedProxies?.length === 0) {
    refuse(
      "host",
      `"${host}" can be reached from other machines: set BERTH_TLS_CERT and BERTH_TLS_KEY, or BERTH_TRUSTED_PROXIES`,
    );
  }
  if (
    idpIssuer !== undefined && idpClientId !== undefined && (idpIssuer === null) !== (idpClientId === null)
  ) {
    refuse(idpIssuer === null ? "idpIssuer" : "idpClientId", "an issuer and a client id belong together");
  }
  if (typeof idpIssuer === "string" && idpRedirectUris?.length === 0) {
    refuse("idpRedirectUris", "an identity provider needs at least one redirect address");
  }
  return found;
}

/** Whether only this machine can reach a listener on that address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** One row of the documentation. */
export interface SettingRow {
  readonly key: string;
  readonly variable: string;
  readonly default: string;
  readonly meaning: string;
}

export const SETTINGS: readonly SettingRow[] = Object.entries(fields).map(([key, schema]) => ({
  key,
  variable: `BERTH_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
  default: String(schema.meta()?.["shownDefault"]),
  meaning: schema.description ?? "",
}));
