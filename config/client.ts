/** The environment of commands that speak to a running berth: its address and the key. */
import { withoutEnd } from "../core/without_end.ts";
import { homeFolder } from "./folders.ts";

interface ClientSettings {
  /** `BERTH_URL`. */
  readonly url: string | null;
  /** `BERTH_KEY`. */
  readonly key: string | null;
  /** The file in which `berth login` keeps address and key; null if no home folder is known. */
  readonly loginFile: string | null;
}

export function readClientSettings(env: (name: string) => string | undefined = Deno.env.get): ClientSettings {
  const said = (name: string) => env(name)?.trim() || undefined;
  const home = homeFolder(said);
  const folder = Deno.build.os === "windows"
    ? said("APPDATA")
    : said("XDG_CONFIG_HOME") ?? (home === undefined ? undefined : `${home}/.config`);
  const url = said("BERTH_URL");
  return {
    url: url === undefined ? null : withoutEnd(url, "/"),
    key: said("BERTH_KEY") ?? null,
    loginFile: folder === undefined ? null : `${folder}/berth/login.json`,
  };
}
