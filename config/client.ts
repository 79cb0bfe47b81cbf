/** The environment of commands that speak to a running berth: its address and the key. */
import { withoutEnd } from "../core/without_end.ts";
import { homeFolder } from "./folders.ts";

/** The berth of the same environment, which answers a proxy's callers by the name of `BERTH_BASE_URL` alone. */
export interface BesideSettings {
  /** `BERTH_BASE_URL`. */
  readonly url: string;
  /** The place at which it listens, as URLs write it. */
  readonly hostname: string;
  readonly port: number;
}

interface ClientSettings {
  /** `BERTH_URL`. */
  readonly url: string | null;
  /** `BERTH_KEY`. */
  readonly key: string | null;
  /** The file in which `berth login` keeps address and key; null if no home folder is known. */
  readonly loginFile: string | null;
  /** Null unless the environment is that of a berth behind a proxy, and `BERTH_URL` is not set. */
  readonly beside: BesideSettings | null;
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
    beside: url === undefined ? readBeside(said) : null,
  };
}

function readBeside(said: (name: string) => string | undefined): BesideSettings | null {
  const address = URL.parse(said("BERTH_BASE_URL") ?? "");
  const port = Number(said("BERTH_PORT") ?? 8700);
  const isProxied = said("BERTH_TRUSTED_PROXIES") !== undefined && said("BERTH_TLS_CERT") === undefined;
  if (!isProxied || address === null || !/^https?:$/.test(address.protocol) || !(port > 0 && port < 65_536)) {
    return null;
  }
  return { url: address.origin, hostname: reachedHostname(said("BERTH_HOST") ?? "127.0.0.1"), port };
}

/** Returns how URLs of the same machine name a listener on `host`. */
export function reachedHostname(host: string): string {
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return reached.includes(":") ? `[${reached}]` : reached;
}

const PROXIES = ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY"];

/**
 * Keeps calls to this machine, with their keys, from a proxy of the environment (`HTTP_PROXY`), in this process: those
 * to loopback and to the berth beside it.
 */
export function keepFromProxies(env: Pick<Deno.Env, "get" | "set"> = Deno.env): void {
  // A process whose permissions hide the environment may not set it either.
  if (!PROXIES.some((name) => env.get(name) ?? env.get(name.toLowerCase()))) return;
  const { beside } = readClientSettings((name) => env.get(name));
  const own = beside === null ? [] : [beside.hostname.replace(/^\[|\]$/g, "")];
  const names = (env.get("NO_PROXY") ?? env.get("no_proxy") ?? "").split(",").filter((name) => name !== "");
  env.set("NO_PROXY", [...new Set([...names, "localhost", "127.0.0.0/8", "::1", ...own])].join(","));
}
