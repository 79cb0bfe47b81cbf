/** Containers, images, volumes and networks of Docker and Podman. */
import { Sights } from "../../core/sight.ts";
import type { Stacks } from "../../core/stacks.ts";
import { plugin } from "../plugin.ts";
import { Backends, type NamedEngine } from "../../engines/links/backends.ts";
import { readAddress } from "../../engines/calls/address.ts";
import { lend } from "../../engines/lent.ts";
import { UNIX_HOST } from "../../engines/calls/connections.ts";
import { CODES } from "../../engines/calls/errors.ts";
import { examine } from "./settings/examine.ts";
import { PullLogins } from "./backends/logins.ts";
import { measure } from "./backends/measures.ts";
import { PERMISSIONS } from "./backends/permissions.ts";
import { ROUTES, Routes } from "./routes.ts";
import { EngineRuntime } from "./runtime.ts";
import { type EngineSetting, isFound, Settings, VARIABLES } from "./settings/settings.ts";

export const containerRuntime = plugin({
  name: "container-runtime",
  summary: "Containers, images, volumes and networks of Docker and Podman",
  version: "0.1.0",
  permissions: PERMISSIONS,
  errors: CODES,
  settings: Settings,
  variables: VARIABLES,
  routes: ROUTES,
  tags: {
    containers: "Containers on all engines: lists, details, control, logs, shells, measurements",
    images: "Images on all engines",
    volumes: "Volumes on all engines",
    networks: "Networks on all engines",
    logs: "Earlier lines of several logs, searched",
    services: "Services of swarms, and their tasks",
    tasks: "Tasks of services of swarms",
    terminal: "Events and merged logs, as they happen",
  },
  examine,
  needs: ({ engines }) => (engines ?? []).flatMap(needsOf),
  async start(host, settings) {
    const named = (settings.engines ?? []).filter((one) => !isFound(one)).map(namedEngine);
    const looks = settings.engines?.some(isFound) ?? true;
    const backends = looks
      ? await Backends.found(settings, host.log, named, settings.ssh, host.claims)
      : Backends.configured(named, host.log, settings.ssh, host.claims);
    const { registries } = settings;
    const pulls = { registries, logins: new PullLogins(host.logins, settings.dockerConfig) };
    const runtime = new EngineRuntime(
      backends,
      pulls,
      host.claims,
      () => host.services(),
      () => host.stacks(),
    );
    const engines = {
      backends,
      sights: new Sights(host.ownership),
      services: () => host.services(),
      swarmsRead: () => swarmsRead(backends, host.stacks()),
    };
    const { log, commands, offers, declared } = host;
    const routes = new Routes({ engines, pulls, log, commands, offers, declared });
    measure(host.metrics, backends, routes.streamLimit);
    return {
      routes: routes.routes,
      feeds: routes.feeds,
      runtime,
      engines: () => backends.links.map((link) => lend(link, backends.feed, registries)),
      [Symbol.asyncDispose]: async () => {
        await routes[Symbol.asyncDispose]();
        await backends[Symbol.asyncDispose]();
      },
    };
  },
});

function namedEngine({ name, url, ca, cert, key }: EngineSetting): NamedEngine {
  const guess = name.includes("podman") ? "podman" : "docker";
  const address = readAddress(url);
  if (address === null) throw new Error(`the address of engine "${name}" was checked before`);
  if (address.kind !== "tls") return { name, guess, address };
  const files = { ca: ca ?? "", cert: cert ?? "", key: key ?? "" }; // the settings need all three for such an address
  return { name, guess, address: { ...address, files } };
}

function needsOf({ url, ca, cert, key }: EngineSetting): Deno.PermissionDescriptor[] {
  const address = readAddress(url);
  if (address === null) return [];
  if (address.kind === "tls") {
    const files = [ca, cert, key].filter((path) => path !== undefined);
    return [
      { name: "net", host: `${address.host}:${address.port}` },
      ...files.map((path) => ({ name: "read", path } as const)),
    ];
  }
  if (address.kind === "ssh") return []; // what is missing is told of this engine alone
  return [
    { name: "read", path: address.path },
    { name: "write", path: address.path },
    { name: "net", host: `unix:${address.path}` },
    { name: "net", host: UNIX_HOST },
  ];
}

/** Networks tell which engines are in swarms. */
async function swarmsRead(backends: Backends, stacks: Stacks | null): Promise<boolean> {
  if (stacks === null) return true;
  await backends.fresh("networks");
  return await stacks.settle();
}
