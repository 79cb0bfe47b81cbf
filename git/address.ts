/** Addresses of repositories: what is accepted, and which options let git use exactly that protocol. */
import { ServiceError } from "../core/error.ts";
import type { NewSource } from "../core/source.ts";
import { refusedSource } from "./own_folder.ts";

/** Longer addresses are refused. */
const LONGEST_ADDRESS = 2_000;

export interface Credential {
  readonly user: string;
  readonly token: string;
}

/** The address as it is kept. Throws `source_refused` with the reason. */
export function checkedAddress(text: string, hasCredential: boolean): string {
  const refuse = (why: string) => new ServiceError("source_refused", `Cannot use the repository: ${why}`);
  const url = URL.parse(text);
  if (url === null || text.length > LONGEST_ADDRESS || !/^[!-~]+$/.test(text)) {
    throw refuse(
      "its address must be like https://git.example/ada/home.git or ssh://git@git.example/ada/home.git",
    );
  }
  if (url.protocol === "ssh:") {
    if (hasCredential) throw refuse("a token is for https://; behind ssh berth makes a deploy key");
    const { user, host, port, path } = checkedSshAddress(text);
    return `ssh://${user}@${host}${port === 22 ? "" : `:${port}`}${path.startsWith("~") ? "/" : ""}${path}`;
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw refuse("its address must begin with https://, ssh:// or http://");
  }
  if (url.username !== "" || url.password !== "") {
    throw refuse("its address holds a user or password; send them as its credential");
  }
  if (url.search !== "" || url.hash !== "") throw refuse('its address holds a "?" or "#"');
  if (url.protocol === "http:" && hasCredential) {
    throw refuse("a credential is sent over https:// alone");
  }
  if (url.pathname === "/") throw refuse("its address has no path");
  return url.href;
}

export interface SshAddress {
  readonly user: string;
  readonly host: string;
  readonly port: number;
  /** As the server's shell gets it; one that begins with `~` is below a home folder. */
  readonly path: string;
}

/** Takes an address apart, of which no part can be an option or another word. Throws `source_refused`. */
export function checkedSshAddress(text: string): SshAddress {
  const [, user, written, port = "22", path = ""] =
    /^ssh:\/\/([A-Za-z0-9_][A-Za-z0-9._-]*)@([A-Za-z0-9][A-Za-z0-9.-]*)(?::(\d{1,5}))?\/([A-Za-z0-9._~][A-Za-z0-9._\/~+-]*)$/
      .exec(text) ?? [];
  // A number is an address in other words: it is written as one, so that it can be looked at.
  const host = written === undefined ? undefined : URL.parse(`http://${written}`)?.hostname;
  const isPort = Number(port) >= 1 && Number(port) <= 65_535;
  if (user === undefined || host === undefined || !/^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(host) || !isPort) {
    throw new ServiceError(
      "source_refused",
      "Cannot use the repository: behind ssh its address must be like ssh://git@git.example/ada/home.git, with plain " +
        "letters, digits, dots, dashes and slashes",
    );
  }
  return { user, host, port: Number(port), path: path.startsWith("~") ? path : `/${path}` };
}

/** Returns the address of what a source may be. Throws `source_refused` with the reason. */
export function mustBeSource(
  { url, branch, folder, credential }: Pick<NewSource, "url" | "branch" | "folder" | "credential">,
): string {
  const address = checkedAddress(url, credential !== undefined && credential !== null);
  if (!isBranch(branch)) throw refusedSource(`"${branch}" is no name of a branch`);
  if (!isFolder(folder)) throw refusedSource(`"${folder}" is no folder of a repository`);
  return address;
}

/** Returns true for an address that takes a deploy key. */
export const isSsh = (address: string): boolean => address.startsWith("ssh://");

/** The options by which git speaks the protocol of the address and no other, with the credential as a header of its origin. */
export function optionsFor(address: string, credential: Credential | null): [name: string, value: string][] {
  const { protocol, origin } = new URL(address);
  const options: [string, string][] = [[`protocol.${protocol.slice(0, -1)}.allow`, "always"]];
  if (credential !== null) {
    const basic = new TextEncoder().encode(`${credential.user}:${credential.token}`).toBase64();
    options.push([`http.${origin}/.extraHeader`, `Authorization: Basic ${basic}`]);
  }
  return options;
}

/** Returns the texts that are masked in everything that git says. */
export function secretsOf({ user, token }: Credential): string[] {
  return [token, new TextEncoder().encode(`${user}:${token}`).toBase64()];
}

/** Returns true for a branch as git accepts it, and as no option can be. */
export function isBranch(name: string): boolean {
  return name.length <= 200 && /^[A-Za-z0-9][A-Za-z0-9._/+@-]*$/.test(name) &&
    !/\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|[./]$/.test(name) && name !== "@";
}

/** Returns true for a folder below the repository's root: plain names, none hidden behind dots. */
export function isFolder(path: string): boolean {
  return path === "" || (path.length <= 1_000 && !/[\p{Cc}\\:]/u.test(path) &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !/^\.git$/i.test(part)));
}
