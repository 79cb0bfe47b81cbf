/** Containers, images, volumes and networks of Docker and Podman. */
import { z } from "zod";
import { plugin } from "../plugin.ts";
import { Backends, type NamedEngine } from "./backends/backends.ts";
import { UNIX_HOST } from "./engine/engine.ts";
import { containers } from "./containers/routes.ts";
import { readAddress } from "./engine/address.ts";
import { objects, Streams } from "./routes.ts";
import { EngineRuntime } from "./runtime.ts";

import { systemBackends } from "./backends/routes.ts";

const EngineSetting = z.strictObject({
  name: z.string().min(1).max(63),
  url: z.string().refine(
    (url) => readAddress(url) !== null,
    "expected unix:///absolute/path or tcp://host:port",
  ),
  ca: z.string().optional(),
  cert: z.string().optional(),
  key: z.string().optional(),
});

const Config = z.strictObject({
  engines: z.array(EngineSetting).max(32).nullable().default(null)
    .describe("The engines to use; null looks where engines put their sockets"),
  home: z.string().nullable().default(null).describe("The home folder to look in"),
  runtimeFolder: z.string().nullable().default(null).describe("XDG_RUNTIME_DIR of the user"),
  dockerHost: z.string().nullable().default(null).describe("DOCKER_HOST of the user"),
  registries: z.array(z.string().min(1).max(253)).max(256).nullable().default(null)
    .describe('The registries that images may be pulled from, as "ghcr.io"; null for all'),
});

export const containerRuntime = plugin({
  name: "container-runtime",
  summary: "Containers, images, volumes and networks of Docker and Podman",
  version: "0.1.0",
  paths: ["containers", "images", "volumes", "networks", "terminal"],
  config: Config,
  permissions: (config) => (config.engines ?? []).flatMap(permissionsOf),
  async start(host, config) {
    const backends = config.engines === null
      ? await Backends.found(config, host.log)
      : Backends.configured(await Promise.all(config.engines.map(readEngine)), host.log);
    const runtime = new EngineRuntime(backends);
    const streams = new Streams({ backends, runtime, ownership: host.ownership, log: host.log });
    const routes = containers({ backends, ownership: host.ownership })
      .add(systemBackends({ backends }))
      .add(objects({ backends, registries: config.registries }))
      .add(streams.routes);
    return {
      routes,
      runtime,
      [Symbol.asyncDispose]: async () => {
        await streams[Symbol.asyncDispose]();
        await backends[Symbol.asyncDispose]();
      },
    };
  },
});

type EngineSetting = z.output<typeof EngineSetting>;

async function readEngine({ name, url, ca, cert, key }: EngineSetting): Promise<NamedEngine> {
  const guess = name.includes("podman") ? "podman" : "docker";
  const address = readAddress(url);
  if (address === null) throw new Error(`the address of engine "${name}" was checked before`);
  if (address.kind === "unix") return { name, guess, address };
  const [caText, certText, keyText] = await Promise.all(
    [ca, cert, key].map((path) => Deno.readTextFile(path ?? "")),
  );
  return { name, guess, address: { ...address, ca: caText ?? "", cert: certText ?? "", key: keyText ?? "" } };
}

function permissionsOf({ url }: EngineSetting): Deno.PermissionDescriptor[] {
  const address = readAddress(url);
  if (address === null) return [];
  if (address.kind === "tls") return [{ name: "net", host: `${address.host}:${address.port}` }];
  return [
    { name: "read", path: address.path },
    { name: "write", path: address.path },
    { name: "net", host: `unix:${address.path}` },
    { name: "net", host: UNIX_HOST },
  ];
}
