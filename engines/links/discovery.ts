/** Finds the sockets of engines: Docker, Podman, Colima, Rancher Desktop, OrbStack, and Docker's contexts. */
import type { EngineKind } from "../calls/greeting.ts";
import {
  addressText,
  type CalledAddress,
  type EngineAddress,
  readAddress,
  type SshAddress,
} from "../calls/address.ts";
import { objectOf, parseJson, textOf } from "../calls/wire.ts";

/** The user's environment; only the settings read it. */
export interface UserEnvironment {
  readonly home: string | null;
  /** `XDG_RUNTIME_DIR`. */
  readonly runtimeFolder: string | null;
  /** `DOCKER_HOST`. */
  readonly dockerHost: string | null;
}

export type FoundEngine =
  | { readonly name: string; readonly guess: EngineKind; readonly address: CalledAddress }
  | { readonly name: string; readonly unsupported: string; readonly address: string };

/** A context's file is a few hundred bytes. */
const MAX_FILE = 256 * 1024;
const MAX_ENTRIES = 64;

/** Every engine whose socket exists, once each, the likeliest default first; without those that have a name already. */
export async function findEngines(
  environment: UserEnvironment,
  named: readonly { readonly name: string; readonly address: EngineAddress }[] = [],
): Promise<readonly FoundEngine[]> {
  const candidates = [
    ...dockerHost(environment),
    ...(await dockerContexts(environment)),
    ...await existing(places(environment)),
    ...await existing(await folderPlaces(environment)),
  ];
  const byTarget = new Map<string, FoundEngine>();
  const names = new Set(named.map(({ name }) => name));
  const taken = new Set(await Promise.all(named.map(({ address }) => placeOf(address))));
  for (const found of candidates) {
    const target = await targetOf(found);
    if (byTarget.has(target) || taken.has(target)) continue;
    byTarget.set(target, { ...found, name: unused(found.name, names) });
  }
  return [...byTarget.values()];
}

interface Place {
  readonly name: string;
  readonly guess: EngineKind;
  readonly path: string;
}

function places({ home, runtimeFolder }: UserEnvironment): Place[] {
  const found: Place[] = [
    { name: "docker", guess: "docker", path: "/var/run/docker.sock" },
    { name: "docker", guess: "docker", path: "/run/docker.sock" },
    { name: "podman", guess: "podman", path: "/run/podman/podman.sock" },
  ];
  if (runtimeFolder !== null) {
    found.push(
      { name: "docker-rootless", guess: "docker", path: `${runtimeFolder}/docker.sock` },
      { name: "podman-rootless", guess: "podman", path: `${runtimeFolder}/podman/podman.sock` },
    );
  }
  if (home !== null) {
    found.push(
      { name: "docker-desktop", guess: "docker", path: `${home}/.docker/run/docker.sock` },
      { name: "docker-desktop", guess: "docker", path: `${home}/.docker/desktop/docker.sock` },
      { name: "rancher-desktop", guess: "docker", path: `${home}/.rd/docker.sock` },
      { name: "orbstack", guess: "docker", path: `${home}/.orbstack/run/docker.sock` },
    );
  }
  return found;
}

/** Tools that keep a folder per profile or machine. */
async function folderPlaces({ home }: UserEnvironment): Promise<Place[]> {
  if (home === null) return [];
  const found: Place[] = [];
  for (const profile of await folders(`${home}/.colima`)) {
    found.push({
      name: profile === "default" ? "colima" : `colima-${profile}`,
      guess: "docker",
      path: `${home}/.colima/${profile}/docker.sock`,
    });
  }
  const machines = `${home}/.local/share/containers/podman/machine`;
  found.push({ name: "podman-machine", guess: "podman", path: `${machines}/podman.sock` });
  for (const machine of await folders(machines)) {
    found.push({ name: `podman-${machine}`, guess: "podman", path: `${machines}/${machine}/podman.sock` });
  }
  return found;
}

async function existing(found: readonly Place[]): Promise<FoundEngine[]> {
  const there = await Promise.all(found.map(({ path }) => Deno.stat(path).then(() => true, isDenied)));
  return found.filter((_, index) => there[index]).map(({ name, guess, path }) => ({
    name,
    guess,
    address: { kind: "unix", path },
  }));
}

/** A socket that berth may not open is worth listing; one that does not exist is not. */
function isDenied(error: unknown): boolean {
  return error instanceof Deno.errors.PermissionDenied;
}

function dockerHost({ dockerHost }: UserEnvironment): FoundEngine[] {
  if (dockerHost === null || dockerHost === "") return [];
  const address = readAddress(dockerHost);
  if (address?.kind === "unix") return [{ name: "docker-host", guess: "docker", address }];
  if (address?.kind === "ssh") return [offered("docker-host", address)];
  return [{ name: "docker-host", address: shownHost(dockerHost), unsupported: UNSUPPORTED }];
}

/** No connection to another host is made because a file of another program names it. */
function offered(name: string, address: SshAddress): FoundEngine {
  const text = addressText(address);
  return {
    name,
    address: text,
    unsupported:
      `berth signs in to other hosts only when its settings say so: set BERTH_ENGINES=found,${name}=${text}`,
  };
}

const UNSUPPORTED =
  "berth connects to unix sockets, by ssh, and over TCP only with the mutual TLS set in its own settings";

async function dockerContexts({ home }: UserEnvironment): Promise<FoundEngine[]> {
  if (home === null) return [];
  const base = `${home}/.docker/contexts`;
  const current = textOf(objectOf(await readJson(`${home}/.docker/config.json`)).currentContext);
  const found: (FoundEngine & { readonly first: boolean })[] = [];
  for (const folder of await folders(`${base}/meta`)) {
    const meta = objectOf(await readJson(`${base}/meta/${folder}/meta.json`));
    const host = textOf(objectOf(objectOf(meta.Endpoints).docker).Host);
    const context = textOf(meta.Name);
    if (host === "" || context === "") continue;
    found.push({
      ...await contextEngine(plainName(context), host, `${base}/tls/${folder}/docker`),
      first: context === current,
    });
  }
  found.sort((one, other) => Number(other.first) - Number(one.first));
  return found.map(({ first: _, ...engine }) => engine);
}

async function contextEngine(name: string, host: string, tls: string): Promise<FoundEngine> {
  const address = readAddress(host);
  if (address?.kind === "unix") return { name, guess: /podman/.test(name) ? "podman" : "docker", address };
  if (address?.kind === "ssh") return offered(name, address);
  if (address?.kind === "tls") {
    const files = { ca: `${tls}/ca.pem`, cert: `${tls}/cert.pem`, key: `${tls}/key.pem` };
    const texts = await Promise.all(Object.values(files).map(readText));
    if (texts.every((text) => text)) return { name, guess: "docker", address: { ...address, files } };
  }
  return { name, address: shownHost(host), unsupported: UNSUPPORTED };
}

async function targetOf(found: FoundEngine): Promise<string> {
  return "unsupported" in found ? `${found.name} ${found.address}` : await placeOf(found.address);
}

/** The same for all ways to one engine. */
export async function placeOf(address: EngineAddress): Promise<string> {
  if (address.kind === "tls") return `${address.host}:${address.port}`;
  if (address.kind === "ssh") return addressText(address);
  return await Deno.realPath(address.path).catch(() => address.path);
}

function unused(name: string, names: Set<string>): string {
  let free = name;
  for (let number = 2; names.has(free); number += 1) free = `${name}-${number}`;
  names.add(free);
  return free;
}

function plainName(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9_.-]+/g, "-").replace(/^[^a-z0-9]+/, "").slice(0, 60) ||
    "context";
}

/** Without a user or password in the address. */
function shownHost(host: string): string {
  return host.replace(/\/\/[^@/]*@/, "//").replace(/[^\x20-\x7e]/g, "?").slice(0, 200);
}

async function folders(path: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(path)) {
      if (entry.isDirectory && names.length < MAX_ENTRIES) names.push(entry.name);
    }
  } catch {
    return [];
  }
  return names.sort();
}

async function readText(path: string): Promise<string | null> {
  try {
    if ((await Deno.stat(path)).size > MAX_FILE) return null;
    return await Deno.readTextFile(path);
  } catch {
    return null;
  }
}

async function readJson(path: string): Promise<unknown> {
  return parseJson(await readText(path) ?? "");
}
