/** All settings: names, shapes, defaults and meanings, in one table. */
import type * as z from "../core/schema.ts";
import { inWords } from "../core/input_words.ts";
import { LOG_LEVELS } from "../core/log.ts";
import { absolutePath, listOf, matching, oneOf, text, wholeNumber } from "../core/setting_shapes.ts";
import { GROUPS, PLACES, RETIRED } from "./groups.ts";
import {
  baseUrl,
  databaseUrl,
  httpUrl,
  issuer,
  pluginNames,
  pluginSettings,
  roles,
  syslog,
} from "./schemas.ts";

interface Field<Schema extends z.ZodType, Default> {
  /** Made when the setting is given. */
  readonly schema: () => Schema;
  /** The value if the setting is absent. */
  readonly fallback: Default;
  /** The default in words, where the value itself would not say it. */
  readonly shown: string;
  readonly meaning: string;
  /** The name by which a supervisor hands over the file that is meant, in `CREDENTIALS_DIRECTORY`. */
  readonly credential?: string;
}

function field<Schema extends z.ZodType, const Default>(
  schema: () => Schema,
  fallback: Default,
  shown: string,
  meaning: string,
  credential?: string,
): Field<Schema, Default> {
  return { schema, fallback, shown, meaning, ...(credential === undefined ? {} : { credential }) };
}

/** A setting that must be known; the environment usually says it. */
const REQUIRED = Symbol("required");
const NONE = "–";

const fields = {
  host: field(
    () => matching(/^[A-Za-z0-9.:-]{1,253}$/, "expected an address or a host name"),
    "127.0.0.1",
    "127.0.0.1",
    "Address to listen on. Anything but loopback needs TLS or trusted proxies",
  ),
  published: field(
    () => oneOf(["loopback"]),
    null,
    NONE,
    "`loopback` promises that the port of this container is published on the host's loopback alone, so that it may " +
      "listen on `0.0.0.0` without TLS or proxies; refused outside a container. All callers then seem to come from " +
      "the container network's gateway: limits per address hold for all of them together, and logs cannot tell them " +
      "apart",
  ),
  port: field(
    () => wholeNumber(0, 65_535),
    8700,
    "8700",
    "Port to listen on; 0 takes a free one and says which",
  ),
  data: field(
    absolutePath,
    REQUIRED,
    "the platform's data folder for `berth`",
    "Folder for the store, log, keys and setup token; created with mode 0700",
  ),
  roots: field(
    () => listOf(absolutePath(), ":"),
    [],
    "the home folder of the user",
    "Folders under which workspaces may be registered, separated by `:`",
  ),
  baseUrl: field(
    baseUrl,
    null,
    "from host and port",
    "The address people use; its authority joins the Host and Origin lists",
  ),
  trustedProxies: field(
    () => listOf(matching(/^[0-9A-Fa-f.:]{2,45}$/, "expected an IP address"), ","),
    [],
    NONE,
    "IP addresses of proxies whose `X-Forwarded-*` headers count, separated by commas",
  ),
  tlsCert: field(
    absolutePath,
    null,
    NONE,
    "Certificate chain for listening with TLS, a PEM file",
    "tls-cert",
  ),
  tlsKey: field(absolutePath, null, NONE, "Key of that certificate, a PEM file", "tls-key"),
  databaseUrl: field(
    databaseUrl,
    null,
    "SQLite in the data folder",
    "`postgres://user@host/name`: PostgreSQL, which several replicas can share; the folder of a socket as a host is " +
      "written `%2Frun%2Fpostgresql`. TLS is verified, unless the host is a socket or loopback",
  ),
  databasePasswordFile: field(
    absolutePath,
    null,
    NONE,
    "File with the password of the database's user; read for every new connection",
    "database-password",
  ),
  databaseCa: field(
    absolutePath,
    null,
    "the system's",
    "Authorities that may vouch for the database's certificate, a PEM file",
    "database-ca",
  ),
  databasePool: field(
    () => wholeNumber(1, 200),
    8,
    "8",
    "Connections to the database at most; one more listens",
  ),
  sealingKeyFile: field(
    absolutePath,
    null,
    "`sealing-key` in the data folder",
    "File with the key that seals the keys that sessions are signed with, and the audit log; must be given, and the " +
      "same for all replicas, with `BERTH_DATABASE_URL`",
    "sealing-key",
  ),
  replica: field(
    () => matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, "expected letters, digits, dots and hyphens"),
    null,
    "the host's name and four letters",
    "The name of this replica in logs and reports",
  ),
  idpIssuer: field(issuer, null, NONE, "Identity provider: the issuer's address, or `github`"),
  idpClientId: field(text, null, NONE, "Our client id at the identity provider"),
  idpClientSecretFile: field(
    absolutePath,
    null,
    NONE,
    "File that holds our client secret; without one we are a public client",
    "idp-client-secret",
  ),
  idpRedirectUris: field(
    () => listOf(httpUrl(), ","),
    [],
    NONE,
    "Addresses the identity provider may send people back to, separated by commas",
  ),
  roles: field(
    roles,
    [],
    NONE,
    "Maps claims to roles: `claim=value:role` separated by commas, first match wins, no match is refused. " +
      "`claim=value:role@scope` gives it on a scope only; such rules add up. " +
      "In the file a list of `claim`, `value`, `role`, `on`; read again on SIGHUP",
  ),
  freshSignIn: field(
    () => wholeNumber(0, 1_440),
    15,
    "15",
    "Minutes after which a session must prove again who it is before exec, reveal, and making keys and people; " +
      "0 asks nobody",
  ),
  keyMaxDays: field(
    () => wholeNumber(1, 3_650),
    null,
    NONE,
    "Days that a new API key lives at most; one that is made without an end gets this one",
  ),
  composeVersion: field(
    () => matching(/^v?\d{1,3}\.\d{1,3}\.\d{1,3}$/, "expected a version as 5.0.0"),
    "5.0.0",
    "5.0.0",
    "The version of Docker Compose that labels of new containers are written for, where no container on the engine tells one",
  ),
  strangersPerSecond: field(
    () => wholeNumber(0, 100_000),
    50,
    "50",
    "Requests a second that one address may send without a good credential, in bursts of four times as many; " +
      "0 for no limit",
  ),
  plugins: field(
    pluginNames,
    null,
    "those that are not off by default",
    "Names of the plugins that run, separated by commas; `none` for no plugin",
  ),
  pluginSettings: field(
    pluginSettings,
    {},
    NONE,
    "Settings of plugins, by the plugin's name; only in the file",
  ),
  auditSyslog: field(
    syslog,
    null,
    NONE,
    "Syslog receiver of the audit log: `tcp://host:port`, `tls://host:port` (both at least once and in order) or " +
      "`udp://host:port` (as well as UDP can)",
  ),
  auditSyslogCa: field(
    absolutePath,
    null,
    "the system's",
    "Authorities that may vouch for a `tls://` receiver, a PEM file",
  ),
  logLevel: field(
    () => oneOf(LOG_LEVELS),
    "info",
    "info",
    "Least level that is logged: `debug`, `info`, `warn` or `error`. The file has every request from `info` on, the " +
      "console only with `debug`",
  ),
  logFile: field(
    () => oneOf(["none"]),
    null,
    "`berth.log` in the data folder",
    "`none` writes the log to the console only",
  ),
  metricsPort: field(
    () => wholeNumber(0, 65_535),
    null,
    NONE,
    "A second port for metrics and probes alone, without credentials: `/api/metrics`, `/api/health/live`, " +
      "`/api/health/ready`; engines are named there to callers with a credential only",
  ),
  metricsHost: field(
    () => matching(/^[A-Za-z0-9.:-]{1,253}$/, "expected an address or a host name"),
    "127.0.0.1",
    "127.0.0.1",
    "Address of that port. Anything but loopback needs TLS or trusted proxies",
  ),
  minDescriptors: field(
    () => wholeNumber(0, 1_048_576),
    4096,
    "4096",
    "File descriptors that must be available at start",
  ),
};

type Fields = typeof fields;
type ValueOf<F> = F extends Field<infer Schema, infer Default>
  ? z.output<Schema> | (Default extends null ? null : never)
  : never;
/** All settings, each checked and complete. */
export type Settings = { readonly [Key in keyof Fields]: ValueOf<Fields[Key]> };

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
  for (const [key, { schema, fallback }] of Object.entries<Field<z.ZodType, unknown>>(fields)) {
    const given = raw[key] ?? undefined;
    if (given === undefined) {
      if (fallback !== REQUIRED) values[key] = fallback;
      else mistakes.push({ key, inside: [], message: "no home folder is known: set BERTH_DATA" });
      continue;
    }
    const parsed = schema().safeParse(given, { error: inWords });
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
  const { host, published, tlsCert, tlsKey, trustedProxies, idpIssuer, idpClientId, idpRedirectUris } =
    settings;
  const { auditSyslog, auditSyslogCa, databaseUrl, databasePasswordFile, databaseCa, sealingKeyFile } =
    settings;
  const found: Mistake[] = [];
  const refuse = (key: keyof Settings, message: string) => found.push({ key, inside: [], message });
  if (tlsCert !== undefined && tlsKey !== undefined && (tlsCert === null) !== (tlsKey === null)) {
    refuse(tlsCert === null ? "tlsCert" : "tlsKey", "a certificate and its key belong together");
  }
  const isOpen = host !== undefined && !isLoopback(host) && tlsCert === null && trustedProxies?.length === 0;
  if (isOpen && published !== "loopback") {
    refuse(
      "host",
      `"${host}" can be reached from other machines: set BERTH_TLS_CERT and BERTH_TLS_KEY, or BERTH_TRUSTED_PROXIES`,
    );
  }
  const { metricsHost, metricsPort } = settings;
  const isMetricsOpen = typeof metricsPort === "number" && metricsHost !== undefined &&
    !isLoopback(metricsHost) && tlsCert === null && trustedProxies?.length === 0;
  if (isMetricsOpen) {
    refuse(
      "metricsHost",
      `"${metricsHost}" can be reached from other machines: set BERTH_TLS_CERT and BERTH_TLS_KEY, or BERTH_TRUSTED_PROXIES`,
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
  if (databaseUrl === null && typeof databasePasswordFile === "string") {
    refuse("databasePasswordFile", "a password without a database: set BERTH_DATABASE_URL, too");
  }
  if (databaseUrl === null && typeof databaseCa === "string") {
    refuse("databaseCa", "authorities without a database: set BERTH_DATABASE_URL, too");
  }
  if (typeof databaseUrl === "object" && databaseUrl !== null && sealingKeyFile === null) {
    refuse(
      "sealingKeyFile",
      "all replicas of a database need the same sealing key: name its file; docs/operations.md says how one is made",
    );
  }
  if (typeof auditSyslogCa === "string" && auditSyslog !== undefined && auditSyslog?.transport !== "tls") {
    refuse("auditSyslogCa", "only a receiver with tls:// shows a certificate");
  }
  return found;
}

/** Returns true if only this machine can reach a listener on that address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** A name under which a setting is read. */
interface ReadSetting {
  readonly key: string;
  readonly variable: string;
  readonly credential?: string;
}

/** One row of the documentation. */
export interface SettingRow {
  readonly key: string;
  /** "–" for a setting that only the file has. */
  readonly variable: string;
  readonly default: string;
  readonly meaning: string;
}

/** All that is read, former names too. */
export const READ: readonly ReadSetting[] = Object.entries<Field<z.ZodType, unknown>>(fields).map((
  [key, { credential }],
) => ({ key, variable: variableOf(key), ...(credential === undefined ? {} : { credential }) }));

/** The settings as they are documented: a group is one. */
export const SETTINGS: readonly SettingRow[] = Object.entries<Field<z.ZodType, unknown>>(fields).flatMap(
  ([key, { shown, meaning }]) => {
    if (RETIRED.includes(key)) return [];
    const [group, part] = PLACES.get(key)?.split(".") ?? [];
    if (group === undefined) return [{ key, variable: variableOf(key), default: shown, meaning }];
    const { parts, meaning: ofGroup } = GROUPS[group]!;
    const isFirst = part === Object.keys(parts)[0];
    return isFirst ? [{ key: group, variable: NONE, default: NONE, meaning: ofGroup }] : [];
  },
);

function variableOf(key: string): string {
  return `BERTH_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
