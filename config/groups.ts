/** Settings that are one key of `config.yaml` with parts, and names that are only read for one release more. */

interface Group {
  readonly meaning: string;
  /** Each part, and the setting of its own that it was before. */
  readonly parts: Readonly<Record<string, string>>;
}

/** By their keys. Parts are checked as settings, so that mistakes in old and new names are the same. */
export const GROUPS: Readonly<Record<string, Group>> = {
  identityProvider: {
    meaning: "Identity provider: `issuer` is its address, or `github`; `clientId` our client id there; " +
      "`clientSecretFile` the file that holds our client secret, without which we are a public client; " +
      "`redirectUris` the addresses it may send people back to",
    parts: {
      issuer: "idpIssuer",
      clientId: "idpClientId",
      clientSecretFile: "idpClientSecretFile",
      redirectUris: "idpRedirectUris",
    },
  },
  auditSyslog: {
    meaning:
      "Syslog receiver of the audit log: `address` is `tcp://host:port`, `tls://host:port` (both at least " +
      "once and in order) or `udp://host:port` (as well as UDP can); `ca` a PEM file with the authorities that may " +
      "vouch for a `tls://` receiver, if those of the system do not",
    parts: { address: "auditSyslog", ca: "auditSyslogCa" },
  },
  metrics: {
    meaning: "A second listener for metrics and probes alone, without credentials: `/api/metrics`, " +
      "`/api/health/live`, `/api/health/ready`; engines are named there to callers with a credential only. `port` " +
      "is its port; `host` its address, 127.0.0.1 if left out, and anything but loopback needs TLS or trusted proxies",
    parts: { port: "metricsPort", host: "metricsHost" },
  },
};

/** Settings that nobody needs to turn. */
export const RETIRED: readonly string[] = ["composeVersion", "databasePool"];

/** Setting → its place in the file, for parts of groups. */
export const PLACES: ReadonlyMap<string, string> = new Map(
  Object.entries(GROUPS).flatMap(([group, { parts }]) =>
    Object.entries(parts).map(([part, key]) => [key, `${group}.${part}`] as const)
  ),
);

/** A name that was given and is no longer documented. */
export interface FormerName {
  readonly name: string;
  /** Its place in the file now; null for a setting without a successor. */
  readonly now: string | null;
}

interface OpenedGroups {
  /** Values by the names of settings. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly mistakes: readonly string[];
  readonly former: readonly FormerName[];
}

/** Takes the groups of a file apart. A part in its group goes before its former name. */
export function openGroups(file: Readonly<Record<string, unknown>>): OpenedGroups {
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];
  const former: FormerName[] = [];
  for (const [key, value] of Object.entries(file)) {
    const group = GROUPS[key];
    const isAddressAlone = key === "auditSyslog" && typeof value === "string";
    if (group !== undefined && !isAddressAlone) continue;
    values[key] = value;
    if (group === undefined) former.push(...formerNames([{ key, name: key }]));
  }
  for (const [key, { parts }] of Object.entries(GROUPS)) {
    const given = file[key] ?? undefined;
    if (given === undefined || values[key] !== undefined) continue;
    if (typeof given !== "object" || Array.isArray(given)) {
      mistakes.push(`${key}: expected a mapping with ${Object.keys(parts).join(", ")}`);
      continue;
    }
    for (const [part, value] of Object.entries(given)) {
      const setting = Object.hasOwn(parts, part) ? parts[part] : undefined;
      if (setting === undefined) {
        mistakes.push(`${key}.${part}: not known; expected ${Object.keys(parts).join(", ")}`);
      } else values[setting] = value;
    }
  }
  return { values, mistakes, former };
}

/** Returns those of the given settings that are documented no longer, by the names that their writer used. */
export function formerNames(
  given: readonly { readonly key: string; readonly name: string }[],
): readonly FormerName[] {
  return given.flatMap(({ key, name }) => {
    const now = PLACES.get(key) ?? null;
    return now !== null || RETIRED.includes(key) ? [{ name, now }] : [];
  });
}
