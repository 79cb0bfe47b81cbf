/** The settings: read once from the environment and `config.yaml`, checked once, all mistakes told at once. */
import { checkSettings, type Mistake, SETTINGS, type Settings } from "./config/settings.ts";
import type { Engine, RoleRule } from "./config/schemas.ts";
import { isInContainer } from "./config/container.ts";
import { configFolders, homeFolder } from "./config/folders.ts";

export type { Engine, RoleRule } from "./config/schemas.ts";

/** The identity provider that people sign in with. */
export interface IdentityProviderSettings {
  /** `github`, or the issuer's address. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecretFile: string | null;
  readonly redirectUris: readonly string[];
}

/** What the rest of berth is told; every value is checked and complete. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Who vouches that only the host's loopback reaches this container. */
  readonly published: "loopback" | null;
  readonly data: string;
  readonly roots: readonly string[];
  /** Null: look where engines put their sockets. */
  readonly engines: readonly Engine[] | null;
  /** Without a trailing slash; null means from host and port. */
  readonly baseUrl: string | null;
  readonly trustedProxies: readonly string[];
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Null: SQLite in `data`. */
  readonly databaseUrl: string | null;
  readonly identityProvider: IdentityProviderSettings | null;
  readonly roles: readonly RoleRule[];
  /** Names of the plugins that run; null means all. */
  readonly plugins: readonly string[] | null;
  readonly pluginSettings: Readonly<Record<string, unknown>>;
  readonly logLevel: "debug" | "info" | "warn" | "error";
  /** Null: `berth.log` in `data`. */
  readonly logFile: "none" | null;
  readonly minDescriptors: number;
  /** Where entries of the audit log go besides the store; `ca` names a file. */
  readonly auditSyslog: {
    readonly transport: "tcp" | "tls" | "udp";
    readonly hostname: string;
    readonly port: number;
    readonly ca: string | null;
  } | null;
  /** What the user's environment says about where engines are; no setting of berth's. */
  readonly surroundings: {
    readonly home: string | null;
    readonly runtimeFolder: string | null;
    readonly dockerHost: string | null;
  };
  /** The file that was read, if there was one. */
  readonly file: string | null;
}

/** Every mistake in the settings; nobody has to start five times to find five of them. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  constructor(readonly mistakes: readonly string[]) {
    super(`Cannot read the settings: ${mistakes.join("; ")}`);
  }
}

export interface ConfigSources {
  /** Reads one environment variable. */
  readonly env: (name: string) => string | undefined;
  /** Whether this process runs in a container; looked at unless told. */
  readonly isContained?: boolean;
}

const processEnvironment: ConfigSources = { env: (name) => Deno.env.get(name) };

/** @throws SettingsError that lists all mistakes. */
export async function readConfig(sources: ConfigSources = processEnvironment): Promise<Config> {
  const env = saidBy(sources);
  const mistakes: string[] = [];
  const fromEnv: Record<string, string> = {};
  for (const { key, variable } of SETTINGS) {
    const value = env(variable);
    if (value !== undefined) fromEnv[key] = value.trim();
  }
  const folders = configFolders(env);
  const data = fromEnv["data"] ?? folders?.data;
  const file = await readFile(env("BERTH_CONFIG"), data, mistakes);
  const home = homeFolder(env);
  const checked = checkSettings({
    ...(data === undefined ? {} : { data }),
    ...(home === undefined ? {} : { roots: [home] }),
    ...await credentialsIn(env("CREDENTIALS_DIRECTORY")),
    ...file?.values,
    ...fromEnv,
  });
  const isContained = sources.isContained ?? await isInContainer(env);
  if (isMistaken(checked)) {
    throw new SettingsError([
      ...mistakes,
      ...checked.map((mistake) => sentence(isContained ? forContainer(mistake) : mistake, fromEnv)),
    ]);
  }
  if (checked.published !== null && !isContained) {
    mistakes.push(
      sentence({
        key: "published",
        inside: [],
        message: "this is no container, and without one everybody who reaches this machine would reach berth",
      }, fromEnv),
    );
  }
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return {
    ...joined(checked),
    surroundings: {
      home: home ?? null,
      runtimeFolder: env("XDG_RUNTIME_DIR") ?? null,
      dockerHost: env("DOCKER_HOST") ?? null,
    },
    file: file?.path ?? null,
  };
}

/** A variable that is empty says nothing: so Compose files pass on what is unset, and so XDG has it. */
function saidBy({ env }: ConfigSources): ConfigSources["env"] {
  return (name) => {
    const value = env(name);
    return value === undefined || value.trim() === "" ? undefined : value;
  };
}

function isMistaken(checked: Settings | readonly Mistake[]): checked is readonly Mistake[] {
  return Array.isArray(checked);
}

function joined(settings: Settings): Omit<Config, "file" | "surroundings"> {
  const { tlsCert, tlsKey, idpIssuer, idpClientId, idpClientSecretFile, idpRedirectUris, ...others } =
    settings;
  const { auditSyslog, auditSyslogCa, ...rest } = others;
  return {
    ...rest,
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

/** Larger than any honest settings file. */
const MAX_FILE = 262_144;

/** `BERTH_CONFIG` must exist when it is named; the file in the data folder is optional. */
async function readFile(
  named: string | undefined,
  data: string | undefined,
  mistakes: string[],
): Promise<{ path: string; values: Record<string, unknown> } | null> {
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
    mistakes.push(`"${path}" cannot be read: ${fileReason(error)}`);
    return null;
  }
  // Only who keeps a file pays for the parser.
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
  if (values === null || values === undefined) return { path, values: {} };
  if (typeof values !== "object" || Array.isArray(values)) {
    mistakes.push(`"${path}" does not hold settings: a mapping of names to values is expected`);
    return null;
  }
  const known = new Set(SETTINGS.map((setting) => setting.key));
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) {
    if (known.has(key)) kept[key] = value;
    else mistakes.push(`"${key}" in "${path}" is not a setting`);
  }
  return { path, values: kept };
}

function fileReason(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "it does not exist";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  return "the system refused";
}

/** What a supervisor such as systemd hands over as files, each under the short name of its setting. */
async function credentialsIn(folder: string | undefined): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  if (folder === undefined) return found;
  for (const { key, credential } of SETTINGS) {
    if (credential === undefined) continue;
    const path = `${folder}/${credential}`;
    if (await Deno.stat(path).then(({ isFile }) => isFile, () => false)) found[key] = path;
  }
  return found;
}

/** Inside a container loopback reaches nobody, so there is one more way. */
function forContainer(mistake: Mistake): Mistake {
  return mistake.key !== "host" || !mistake.message.includes("BERTH_TRUSTED_PROXIES") ? mistake : {
    ...mistake,
    message:
      `${mistake.message}. In this container, and only where its port is published on the host's loopback ` +
      "(127.0.0.1:8700:8700), BERTH_PUBLISHED=loopback will do",
  };
}

/** Names the setting as its writer wrote it. Values stay out: some are secret. */
function sentence({ key, inside, message }: Mistake, fromEnv: Record<string, string>): string {
  const variable = SETTINGS.find((setting) => setting.key === key)?.variable ?? key;
  return `${[key in fromEnv ? variable : key, ...inside].join(".")}: ${message}`;
}
