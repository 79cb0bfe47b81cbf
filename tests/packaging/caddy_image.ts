/** An image of this machine's own Caddy, laid out as the official one is, for a test that cannot fetch that. */
import type { TestEngine } from "../engine.ts";

export async function importCaddy(engine: TestEngine, tag: string): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "berth-caddy-" });
  try {
    const caddy = "/usr/bin/caddy";
    const { stdout } = await new Deno.Command("ldd", { args: [caddy] }).output();
    const libraries = [...new TextDecoder().decode(stdout).matchAll(/(\/\S+) \(0x/g)].map(([, path]) =>
      path!
    );
    for (const path of [caddy, ...libraries]) {
      await Deno.mkdir(root + path.slice(0, path.lastIndexOf("/")), { recursive: true });
      await Deno.copyFile(await Deno.realPath(path), root + path);
      await Deno.chmod(root + path, 0o755);
    }
    await Deno.mkdir(`${root}/etc/caddy`, { recursive: true });
    await Deno.mkdir(`${root}/tmp`);
    const { stdout: tar } = await new Deno.Command("tar", {
      args: ["-C", root, "--numeric-owner", "-c", "."],
    }).output();
    const [repo = "", name = ""] = tag.split(":");
    const query = new URLSearchParams({ fromSrc: "-", repo, tag: name });
    const changes = [
      'CMD ["/usr/bin/caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
      "ENV XDG_CONFIG_HOME=/config",
      "ENV XDG_DATA_HOME=/data",
      "ENV HOME=/tmp",
    ];
    for (const change of changes) query.append("changes", change);
    const { status, body } = await engine.ask(`POST /images/create?${query}`, tar);
    if (status !== 200 || body.includes('"error')) throw new Error(`Cannot import Caddy: ${status} ${body}`);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}
