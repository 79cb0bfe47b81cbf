/** The plugin's settings: which engines, and which registries. */
import * as z from "../../../core/schema.ts";
import { absolutePath, listOf, text } from "../../../core/setting_shapes.ts";
import { readAddress } from "../../../engines/calls/address.ts";

const MOST_ENGINES = 512;

/** One engine to talk to; on another host it is reached by ssh or with mutual TLS. */
function engine() {
  return z.strictObject({
    name: z.string({ error: "expected text" }).regex(
      /^[a-z0-9][a-z0-9_.-]{0,62}$/,
      "expected a name of lower-case letters, digits, dots and dashes, as the nas in nas=ssh://ada@nas",
    ),
    url: text(),
    ca: absolutePath().optional(),
    cert: absolutePath().optional(),
    key: absolutePath().optional(),
  }).check((context) => {
    const { url, ca, cert, key } = context.value;
    if (isFound(context.value)) return;
    const refuse = (message: string) =>
      context.issues.push({ code: "custom", message, input: url, path: ["url"] });
    const parsed = URL.parse(url);
    if (parsed !== null && parsed.protocol === "unix:") {
      if (!parsed.pathname.startsWith("/") || parsed.host !== "") refuse("expected unix:///absolute/path");
      return;
    }
    if (parsed !== null && parsed.protocol === "ssh:") {
      if (parsed.password !== "") refuse("no password here: ssh signs in with the user's own keys");
      else if (readAddress(url) === null) {
        refuse("expected ssh://user@host, with :port and /path/of.sock if need be");
      }
      return;
    }
    if (parsed === null || !/^(tcp|https):$/.test(parsed.protocol) || parsed.host === "") {
      refuse("expected unix:///absolute/path, ssh://user@host or tcp://host:port");
    } else if (ca === undefined || cert === undefined || key === undefined) {
      refuse("an engine on another host needs mutual TLS: set ca, cert and key in config.yaml");
    }
  });
}
export type EngineSetting = z.output<ReturnType<typeof engine>>;

/** It stands for the engines that are found by looking. */
export const FOUND: EngineSetting = { name: "found", url: "found" };

export function isFound({ name, url }: EngineSetting): boolean {
  return name === FOUND.name && url === FOUND.url;
}

function engines() {
  const one = z.preprocess((value) => typeof value === "string" ? namedUrl(value) : value, engine());
  return listOf(one, ",").refine(
    (list) => new Set(list.map(({ name }) => name)).size === list.length,
    "two engines have the same name",
  ).refine((list) => list.length <= MOST_ENGINES, `at most ${MOST_ENGINES} engines`);
}

function namedUrl(part: string): unknown {
  if (part.trim() === FOUND.name) return FOUND;
  const at = part.indexOf("=");
  return { name: part.slice(0, Math.max(at, 0)).trim(), url: part.slice(at + 1).trim() };
}

export const Settings = z.strictObject({
  engines: engines().nullable().default(null).describe(
    "Container engines, `name=unix:///path`, `name=ssh://user@host` or `name=tcp://host:2376` separated by commas; " +
      "`found` among them for those that are found by looking, too; `none` for no engine. In the file a list of `name`, `url`, and for one with mutual TLS `ca`, `cert`, `key`",
  ).meta({ shown: "found by looking" }),
  registries: z.array(z.string().min(1).max(253)).max(256).nullable().default(null).describe(
    "A list of the registries that images may be pulled from, as `ghcr.io`",
  ).meta({ shown: "all" }),
  dockerConfig: absolutePath().nullable().default(null).describe(
    "Docker's `config.json`, whose credentials pulls use where they bring none and none is stored for the registry; programs that " +
      "it names are not run",
  ),
  ssh: text().max(4_096).default("ssh").describe("The program that `ssh://` engines are reached with").meta({
    shown: "`ssh` in the path",
  }),
  home: z.string().nullable().default(null).describe(
    "The home folder, where engines of the user put their sockets",
  ),
  runtimeFolder: z.string().nullable().default(null).describe("The folder of the user's own sockets"),
  dockerHost: z.string().nullable().default(null).describe("The engine that Docker's own tools use"),
});
export type Settings = z.output<typeof Settings>;

/** Docker's own variables for engines are read beside berth's. */
export const VARIABLES = {
  engines: "BERTH_ENGINES",
  ssh: "BERTH_SSH",
  home: Deno.build.os === "windows" ? "USERPROFILE" : "HOME",
  runtimeFolder: "XDG_RUNTIME_DIR",
  dockerHost: "DOCKER_HOST",
} as const satisfies Partial<Record<keyof Settings, string>>;
