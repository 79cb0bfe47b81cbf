/** The settings: read once from the environment and `config.yaml`, checked once, with all mistakes reported together. */
import { type FormerName, formerNames, GROUPS, openGroups, PLACES } from "./groups.ts";
import { checkSettings, type Mistake, READ, type Settings } from "./settings.ts";
import type { DatabaseAddress } from "./database_address.ts";
import { isInContainer } from "./container.ts";
import type { IdentityProviderSettings, RoleRule } from "../core/sign_in.ts";
import { isServiceAddress, KUBERNETES_ADVICE, type Stray, straysAmong } from "./strays.ts";
import { configFolders, homeFolder } from "./folders.ts";

/** The settings as the rest of berth sees them: checked, with defaults filled in. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** The operator's promise that only the host's loopback reaches this container. */
  readonly published: "loopback" | null;
  readonly data: string;
  readonly roots: readonly string[];
  /** Without a trailing slash; null means from host and port. */
  readonly baseUrl: string | null;
  readonly trustedProxies: readonly string[];
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Null: SQLite in `data`. */
  readonly database:
    | DatabaseAddress & {
      readonly passwordFile: string | null;
      /** A PEM file; null for the authorities of the system. */
      readonly ca: string | null;
      /** Connections at most. */
      readonly pool: number;
    }
    | null;
  /** Null: `sealing-key` in `data`. */
  readonly sealingKeyFile: string | null;
  /** Null: made from the host's name. */
  readonly replica: string | null;
  readonly identityProvider: IdentityProviderSettings | null;
  readonly roles: readonly RoleRule[];
  /** Minutes; 0 turns fresh proof off. */
  readonly freshSignIn: number;
  /** Null: a key may live for ever. */
  readonly keyMaxDays: number | null;
  /** For labels of new containers. */
  readonly composeVersion: string;
  /** 0: no limit. */
  readonly strangersPerSecond: number;
  /** Names of the plugins that run; null means those that are not off by default. */
  readonly plugins: readonly string[] | null;
  readonly pluginSettings: Readonly<Record<string, unknown>>;
  /** Keys of the file that are no setting of the core, and may be a plugin's. */
  readonly unclaimed: Readonly<Record<string, unknown>>;
  /** Variables that begin with `BERTH_` and that the core does not read; a plugin may. */
  readonly strays: readonly Stray[];
  /** Names that were given and are read for one release more. */
  readonly former: readonly FormerName[];
  /** Reads one environment variable for a plugin's setting; undefined for one that is empty. */
  readonly variable: (name: string) => string | undefined;
  readonly logLevel: "debug" | "info" | "warn" | "error";
  /** Null: `berth.log` in `data`. */
  readonly logFile: "none" | null;
  /** Null: no port for metrics alone. */
  readonly metricsPort: number | null;
  readonly metricsHost: string;
  readonly minDescriptors: number;
  /** The receiver of audit entries besides the store; `ca` names a file. */
  readonly auditSyslog: {
    readonly transport: "tcp" | "tls" | "udp";
    readonly hostname: string;
    readonly port: number;
    readonly ca: string | null;
  } | null;
  /** The file that was read, if there was one. */
  readonly file: string | null;
}

/** All mistakes in the settings, so that one start shows them all. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  constructor(readonly mistakes: readonly string[]) {
    super(`Cannot read the settings: ${mistakes.join("; ")}`);
  }
}

interface ConfigSources {
  /** Reads one environment variable. */
  readonly env: (name: string) => string | undefined;
  /** The names of all variables, as far as they can be known. */
  readonly names?: () => readonly string[];
  /** True if this process runs in a container; found out if left out. */
  readonly isContained?: boolean;
}

const processEnvironment: ConfigSources = {
  env: (name) => Deno.env.get(name),
  names: () => {
    try {
      return Object.keys(Deno.env.toObject());
    } catch { // this process may read single variables only
      return [];
    }
  },
};

/** The part of the settings that only plugins can check. */
type PluginConfig = Pick<
  Config,
  "plugins" | "pluginSettings" | "unclaimed" | "variable" | "file" | "strays"
>;

/**
 * Reads and checks the settings of the core. Those of plugins are checked once plugins are loaded; `mistakesOfPlugins` is
 * asked here only when the start fails anyway, so that all mistakes are reported together.
 *
 * @throws SettingsError that lists all mistakes.
 */
export async function readConfig(
  sources: ConfigSources = processEnvironment,
  mistakesOfPlugins: (given: PluginConfig) => Promise<readonly string[]> = () => Promise.resolve([]),
): Promise<Config> {
  const variable = saidBy(sources);
  const mistakes: string[] = [];
  const fromEnv: Record<string, string> = {};
  for (const { key, variable: name } of READ) {
    const value = variable(name);
    if (value !== undefined) fromEnv[key] = value.trim();
  }
  const data = fromEnv["data"] ?? configFolders(variable)?.data;
  const file = await readFile(variable("BERTH_CONFIG"), data, mistakes);
  const opened = openGroups(file?.values ?? {});
  mistakes.push(...opened.mistakes);
  const home = homeFolder(variable);
  const checked = checkSettings({
    ...(data === undefined ? {} : { data }),
    ...(home === undefined ? {} : { roots: [home] }),
    ...await credentialsIn(variable("CREDENTIALS_DIRECTORY")),
    ...opened.values,
    ...fromEnv,
  });
  const nameOf = namesOf(fromEnv, opened.former);
  const isContained = sources.isContained ?? await isInContainer(variable);
  if (!isMistaken(checked) && checked.published !== null && !isContained) {
    mistakes.push(
      sentence(
        {
          key: "published",
          inside: [],
          message:
            "this is no container, and without one everybody who reaches this machine would reach berth",
        },
        fromEnv,
        nameOf,
      ),
    );
  }
  const named = (sources.names?.() ?? []).filter((name) => variable(name) !== undefined);
  const strays = straysAmong(named, [...READ.map((setting) => setting.variable), "BERTH_CONFIG"]);
  const given = { unclaimed: file?.unclaimed ?? {}, variable, file: file?.path ?? null, strays };
  const ofPlugins = (settings: Pick<Config, "plugins" | "pluginSettings">) =>
    mistakesOfPlugins({ ...given, ...settings });
  if (!isMistaken(checked) && mistakes.length === 0) {
    const variables = READ.flatMap(({ key, variable: name }) => key in fromEnv ? [{ key, name }] : []);
    const former = [...opened.former, ...formerNames(variables)];
    const config = { ...joined(checked), ...given, former };
    // Only plugins know whether one of them is theirs; nothing may begin on settings that were meant otherwise.
    const misspelt = strays.some(({ meant }) => meant !== null) ? await ofPlugins(config) : [];
    if (misspelt.length > 0) throw new SettingsError(misspelt);
    return config;
  }
  if (isMistaken(checked)) {
    mistakes.push(
      ...checked.map((mistake) => sentence(isContained ? forContainer(mistake) : mistake, fromEnv, nameOf)),
    );
  }
  const own = file?.values["pluginSettings"];
  const pluginSettings = isRecord(own) ? own : {};
  throw new SettingsError([
    ...mistakes,
    ...await ofPlugins({ plugins: isMistaken(checked) ? null : checked.plugins, pluginSettings }),
  ]);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An empty variable counts as not set: Compose passes unset variables on as empty, and XDG says the same. */
function saidBy({ env }: Pick<ConfigSources, "env">): ConfigSources["env"] {
  return (name) => {
    const value = env(name);
    return value === undefined || value.trim() === "" ? undefined : value;
  };
}

function isMistaken(checked: Settings | readonly Mistake[]): checked is readonly Mistake[] {
  return Array.isArray(checked);
}

function joined(settings: Settings): Omit<Config, "file" | "unclaimed" | "variable" | "strays" | "former"> {
  const { tlsCert, tlsKey, idpIssuer, idpClientId, idpClientSecretFile, idpRedirectUris, ...others } =
    settings;
  const { auditSyslog, auditSyslogCa, databaseUrl, databasePasswordFile, databaseCa, databasePool, ...rest } =
    others;
  return {
    ...rest,
    database: databaseUrl === null ? null : {
      ...databaseUrl,
      passwordFile: databasePasswordFile,
      ca: databaseCa,
      pool: databasePool ?? 8,
    },
    auditSyslog: auditSyslog === null ? null : { ...auditSyslog, ca: auditSyslogCa },
    tls: tlsCert !== null && tlsKey !== null ? { cert: tlsCert, key: tlsKey } : null,
    identityProvider: idpIssuer !== null && idpClientId !== null
      ? {
        issuer: idpIssuer,
        clientId: idpClientId,
        clientSecretFile: idpClientSecretFile,
        redirectUris: idpRedirectUris,
      }
      : null,
  };
}

interface SettingsFile {
  readonly path: string;
  readonly values: Record<string, unknown>;
  readonly unclaimed: Record<string, unknown>;
}

/** Larger than any real settings file. */
const MAX_FILE = 262_144;

async function isReached(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

/** `BERTH_CONFIG` must exist when it is named; the file in the data folder is optional. */
async function readFile(
  named: string | undefined,
  data: string | undefined,
  mistakes: string[],
): Promise<SettingsFile | null> {
  const path = named ?? (data === undefined ? undefined : `${data}/config.yaml`);
  if (path === undefined) return null;
  let text: string;
  try {
    const there = await Deno.stat(path);
    if (!there.isFile || there.size > MAX_FILE) {
      mistakes.push(`"${path}" is not a regular file of at most ${MAX_FILE / 1024} KiB`);
      return null;
    }
    text = await Deno.readTextFile(path);
  } catch (error) {
    const absent = error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
    if (named === undefined && absent) return null;
    // The data folder cannot be entered, which the start and the doctor say in better words.
    if (named === undefined && error instanceof Deno.errors.PermissionDenied && !await isReached(path)) {
      return null;
    }
    mistakes.push(`"${path}" cannot be read: ${fileReason(error)}`);
    return null;
  }
  // The parser is loaded only where there is a file.
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { uniqueKeys: true });
  for (const problem of [...document.errors, ...document.warnings]) {
    const at = problem.linePos?.[0];
    const where = at === undefined ? path : `${path}:${at.line}:${at.col}`;
    mistakes.push(`"${where}" is not valid YAML: ${problem.code.toLowerCase().replaceAll("_", " ")}`);
  }
  if (document.errors.length > 0) return null;
  let values: unknown;
  try {
    values = document.toJS({ maxAliasCount: 100 });
  } catch { // aliases are only followed here
    mistakes.push(
      `"${path}" is not valid YAML: an alias such as "*name" has no anchor, or there are too many`,
    );
    return null;
  }
  if (values === null || values === undefined) return { path, values: {}, unclaimed: {} };
  if (!isRecord(values)) {
    mistakes.push(`"${path}" does not hold settings: a mapping of names to values is expected`);
    return null;
  }
  const known = new Set([...READ.map((setting) => setting.key), ...Object.keys(GROUPS)]);
  const file: SettingsFile = { path, values: {}, unclaimed: {} };
  for (const [key, value] of Object.entries(values)) {
    (known.has(key) ? file.values : file.unclaimed)[key] = value;
  }
  return file;
}

function fileReason(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "it does not exist";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  return "the system refused";
}

/**
 * Returns the files that a supervisor such as systemd hands over, each under the short name of its setting.
 */
async function credentialsIn(folder: string | undefined): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  if (folder === undefined) return found;
  for (const { key, credential } of READ) {
    if (credential === undefined) continue;
    const path = `${folder}/${credential}`;
    if (await Deno.stat(path).then(({ isFile }) => isFile, () => false)) found[key] = path;
  }
  return found;
}

/** Inside a container nothing can reach loopback, so the message names one more way. */
function forContainer(mistake: Mistake): Mistake {
  return mistake.key !== "host" || !mistake.message.includes("BERTH_TRUSTED_PROXIES") ? mistake : {
    ...mistake,
    message:
      `${mistake.message}. In this container, and only where its port is published on the host's loopback ` +
      "(127.0.0.1:8700:8700), BERTH_PUBLISHED=loopback will do",
  };
}

/** Returns the name of a setting as its writer wrote it, and else as it is documented. */
function namesOf(
  fromEnv: Readonly<Record<string, string>>,
  former: readonly FormerName[],
): (key: string) => string {
  return (key) => {
    if (key in fromEnv) return READ.find((setting) => setting.key === key)?.variable ?? key;
    return former.some(({ name }) => name === key) ? key : PLACES.get(key) ?? key;
  };
}

/** Values stay out: some are secret. */
function sentence(
  { key, inside, message }: Mistake,
  fromEnv: Record<string, string>,
  nameOf: (key: string) => string,
): string {
  if (key === "port" && isServiceAddress(fromEnv[key])) return `${nameOf(key)}: ${KUBERNETES_ADVICE}`;
  return `${[nameOf(key), ...inside].join(".")}: ${message}`;
}
