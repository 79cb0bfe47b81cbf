/** Writes `docs/settings.md` out of the settings themselves; with `--check` it only says whether that is needed. */
import type * as z from "../core/schema.ts";
import { PLACES } from "../config/groups.ts";
import { READ, type SettingRow, SETTINGS } from "../config/settings.ts";
import type { Plugin } from "../plugins/plugin.ts";
import { keyOf } from "../plugins/plugin_settings.ts";
import { PLUGINS } from "../plugins/plugins.ts";

const FILE = new URL("settings.md", import.meta.url);

/** A plugin's settings but for those that somebody else's environment variable gives. */
export function pluginRows({ name, settings, variables }: Plugin): readonly SettingRow[] {
  return Object.entries<z.ZodType>(settings.shape).flatMap(([setting, schema]) => {
    const variable = variables[setting];
    const key = variable === undefined ? `pluginSettings.${name}.${setting}` : keyOf(variable);
    if (key === null) return [];
    const shown = schema.meta()?.["shown"] ?? schema.parse(undefined);
    return [{ key, variable: variable ?? "–", default: String(shown), meaning: schema.description ?? "" }];
  });
}

function rowsOf(rows: readonly SettingRow[]): string {
  return rows.map(({ variable, key, default: value, meaning }) =>
    `| ${variable === "–" ? variable : `\`${variable}\``} | \`${key}\` | ${shown(value)} | ${
      meaning.replaceAll("|", "\\|")
    } |`
  ).join("\n");
}

const COLUMNS = "| variable | in `config.yaml` | default | meaning |\n| --- | --- | --- | --- |";

export function settingsPage(): string {
  const credentials = READ.flatMap(({ key, credential, variable }) =>
    credential === undefined ? [] : [`\`${credential}\` for \`${PLACES.get(key) ?? variable}\``]
  ).join(", ");
  return `# Settings

<!-- Written by \`deno task docs\` from config/settings.ts and the plugins; a test holds it to that. -->

A setting is an environment variable, and may also stand in \`config.yaml\` in the data folder under its short name;
those with several parts stand there alone.
The environment goes before the file. A mistake stops the start; all mistakes are listed at once. A variable within two
edits of one of these is a mistake, too; others that begin with \`BERTH_\` are warned of. Kubernetes sets such variables,
\`BERTH_PORT=tcp://…\` among them, beside a service that is named \`berth\`: set \`enableServiceLinks: false\` in the pod,
or name the service otherwise.
Files that a supervisor hands over in \`CREDENTIALS_DIRECTORY\`, as systemd's \`LoadCredential=\` does, are used without a
setting: ${credentials}.

${COLUMNS}
${rowsOf(SETTINGS)}
| \`BERTH_CONFIG\` | – | \`config.yaml\` in the data folder, if there | Another file of settings |

\`XDG_DATA_HOME\`, \`XDG_RUNTIME_DIR\`, \`DOCKER_HOST\` and \`HOME\` are read to find the data folder and the engines.
${PLUGINS.map(pluginPart).join("")}
## A \`config.yaml\` with everything that needs structure

\`\`\`yaml
port: 8700
roots: [/srv/projects, /home/ada/code]
engines:
  - { name: docker, url: "unix:///var/run/docker.sock" }
  - name: far
    url: tcp://engine.example:2376
    ca: /etc/berth/engine/ca.pem
    cert: /etc/berth/engine/cert.pem
    key: /etc/berth/engine/key.pem
identityProvider:
  issuer: https://login.example/realms/main
  clientId: berth
  clientSecretFile: /etc/berth/client-secret
  redirectUris: ["https://berth.example/"]
auditSyslog: { address: "tls://logs.example:6514" }
metrics: { port: 9700 }
roles:
  - { claim: groups, value: platform, role: admin }
  - { claim: groups, value: developers, role: operator }
  - { claim: email, value: auditor@example.org, role: viewer }
\`\`\`
`;
}

function pluginPart(plugin: Plugin): string {
  const rows = pluginRows(plugin);
  return `
## The plugin \`${plugin.name}\`

${plugin.summary}. ${
    plugin.optIn ? `Off unless \`BERTH_PLUGINS\` names it.` : `Runs unless \`BERTH_PLUGINS\` leaves it out.`
  }

${rows.length === 0 ? "It has no settings." : `${COLUMNS}\n${rowsOf(rows)}`}
`;
}

function shown(value: string): string {
  return /^[\w.:/-]+$/.test(value) && /[\d.]|^(?:all|info)$/.test(value) ? `\`${value}\`` : value;
}

if (import.meta.main) await Deno.writeTextFile(FILE, settingsPage());
