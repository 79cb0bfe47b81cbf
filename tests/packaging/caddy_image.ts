/** An image of this machine's own Caddy, laid out as the official one is, for a test that cannot fetch that. */
import type { TestEngine } from "../support/engine.ts";
import { importFolder, placeLibraries } from "./imported_image.ts";

export async function importCaddy(engine: TestEngine, tag: string): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "berth-caddy-" });
  try {
    await placeLibraries(root, ["/usr/bin/caddy"]);
    await Deno.mkdir(`${root}/etc/caddy`, { recursive: true });
    await Deno.mkdir(`${root}/tmp`);
    await importFolder(engine, root, tag, [
      'CMD ["/usr/bin/caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
      "ENV XDG_CONFIG_HOME=/config",
      "ENV XDG_DATA_HOME=/data",
      "ENV HOME=/tmp",
    ]);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}
