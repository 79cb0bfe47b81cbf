/** `berth serve`: runs the service until it is told to stop. */
import { type Config, readConfig } from "../config/config.ts";
import type { Plugin } from "../plugins/plugin.ts";
import { isBuilt } from "../http/site/static_site.ts";
import { type Berth, startBerth } from "../app/start.ts";
import { mayPass } from "../app/start_failure.ts";
import { placeOf } from "../core/place.ts";
import { VERSION } from "../version.ts";
import { EXIT } from "./exit_code.ts";
import { tell } from "./failure.ts";

/** A stop that takes longer than this is cut short; the exit code is still 0, because stopping was asked for. */
const STOP_MS = 9_500;

export async function run(): Promise<number> {
  const asked = stopSignal();
  const onHangUp = hangUps();
  let berth: Berth;
  try {
    berth = await startBerth({ config: await readSettings(), plugins: loadPlugins });
  } catch (error) {
    tell(error);
    return mayPass(error) ? EXIT.NO : EXIT.USAGE;
  }
  surviveBugs(berth);
  onHangUp(() => {
    void berth.reload();
    void rereadRoles(berth);
  });
  console.log(await greeting(berth));
  await asked;
  const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), STOP_MS));
  await Promise.race([berth.stop(), late]);
  return EXIT.FINE;
}

/** The settings of berth and of its plugins, all mistakes at once. */
function readSettings(): Promise<Config> {
  return readConfig(undefined, async (given) => {
    const { checkPluginSettings } = await import("../plugins/plugin_settings.ts");
    return checkPluginSettings(await loadPlugins(), given).mistakes;
  });
}

async function loadPlugins(): Promise<readonly Plugin[]> {
  const named = import(placeOf("plugins/plugins.ts").href) as Promise<typeof import("../plugins/plugins.ts")>;
  return (await named).PLUGINS;
}

/** Resolves at the first SIGTERM or SIGINT; a second SIGINT ends the process at once, as people expect. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let count = 0;
    const stop = () => {
      if (++count > 1) Deno.exit(130);
      resolve();
    };
    Deno.addSignalListener("SIGINT", stop);
    if (Deno.build.os !== "windows") Deno.addSignalListener("SIGTERM", () => resolve());
  });
}

/**
 * From now on SIGHUP does not end the process. Returns a function that says what it does instead; one that came
 * before does it then.
 */
function hangUps(): (act: () => void) => void {
  let doNow: (() => void) | null = null;
  let isAsked = false;
  if (Deno.build.os !== "windows") {
    Deno.addSignalListener("SIGHUP", () => {
      if (doNow === null) isAsked = true;
      else doNow();
    });
  }
  return (act) => {
    doNow = act;
    if (isAsked) act();
  };
}

/** Reads the role rules of `config.yaml` again; settings with a mistake leave them as they were. */
async function rereadRoles({ access, log }: Berth): Promise<void> {
  try {
    const { roles } = await readSettings();
    await access.setRoles(roles);
    log.info("The role rules were read again", { rules: roles.length });
  } catch (error) {
    log.error("Cannot read the settings again; the role rules stay as they were", { error });
  }
}

/** One request's bug must not end the others': what escapes every handler is logged, and the process lives. */
function surviveBugs({ log }: Berth): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    log.error("A promise was rejected without a handler", { error: event.reason });
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    log.error("An exception was not caught", { error: event.error });
  });
}

async function greeting({ url, config, access, plugins }: Berth): Promise<string> {
  const lines = [`berth ${VERSION} listens on ${url}`];
  const failed = plugins.reports.filter(({ state }) => state === "failed");
  for (const { name, reason } of failed) lines.push(`  the plugin "${name}" does not run: ${reason}`);
  const page = plugins.site !== null && await isBuilt(plugins.site) ? `${url}/` : null;
  if (access.setupReplica !== null) {
    lines.push(
      `  Next: make the first admin, with the one-time token that the replica ${access.setupReplica} has printed`,
    );
  } else if (access.setupToken === null) {
    lines.push(page === null ? `  The API and a page to try it: ${url}/api/docs` : `  The page: ${page}`);
  } else {
    lines.push(
      "",
      "  Next: make the first admin, within 30 minutes, by opening",
      "",
      `    ${page ?? `${url}/api/docs`}#setup=${access.setupToken}`,
      "",
      "  or a key with",
      "",
      `    curl ${url}/api/settings/setup -H 'content-type: application/json' \\`,
      `      -d '{"token": "${access.setupToken}", "name": "me"}'`,
      "",
      `  The one-time token is also in ${config.data}/setup-token.`,
      `  The key goes into "Authorization: Bearer <key>".`,
      `  Folders may be registered below ${config.roots.join(", ") || "none yet"}: BERTH_ROOTS names them.`,
    );
  }
  return lines.join("\n");
}
