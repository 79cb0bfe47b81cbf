/** A whole service whose only plugin is the routes of images, volumes, networks, disk usage and prune. */
import type { Log } from "../core/log.ts";
import { Backends } from "../plugins/container-runtime/backends/backends.ts";
import { objects } from "../plugins/container-runtime/routes.ts";
import type { EngineKind } from "./engine.ts";
import { startService, type TestCaller, type TestService } from "./service.ts";

export interface RuntimeApp extends AsyncDisposable {
  readonly service: TestService;
  readonly backends: Backends;
  /** With every right. */
  readonly call: TestCaller["call"];
  readonly open: TestCaller["fetch"];
}

export interface RuntimeAppOptions {
  readonly engines: readonly { readonly name: string; readonly kind?: EngineKind; readonly socket: string }[];
  readonly registries?: readonly string[];
}

export async function startRuntimeApp({ engines, registries }: RuntimeAppOptions): Promise<RuntimeApp> {
  const backends = Backends.configured(
    engines.map(({ name, kind = "docker", socket }) => ({
      name,
      guess: kind,
      address: { kind: "unix", path: socket },
    })),
    SILENT,
  );
  const service = await startService({
    install: [],
    mount: () => [objects({ backends, registries: registries ?? null })],
  });
  await backends.settle();
  return {
    service,
    backends,
    call: service.call.bind(service),
    open: service.fetch.bind(service),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await backends[Symbol.asyncDispose]();
    },
  };
}

const SILENT: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  access() {},
  with: () => SILENT,
};
