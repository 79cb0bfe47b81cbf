/** The nginx and the Caddy that Debian has, in front of something. */
import { eventually } from "./eventually.ts";
import { freePort } from "./free_port.ts";

export interface Proxy extends AsyncDisposable {
  readonly port: number;
}

/** Runs a proxy until it is disposed of; null, said aloud, where this machine has none. */
export async function proxy(
  program: "nginx" | "caddy",
  settings: string,
  { port = freePort(), tls = false }: { readonly port?: number; readonly tls?: boolean } = {},
): Promise<Proxy | null> {
  const folder = await Deno.makeTempDir({ prefix: "berth-proxy-" });
  const path = `${folder}/config`;
  await Deno.writeTextFile(
    path,
    program === "nginx" ? nginx(folder, port, settings) : caddy(port, settings, tls),
  );
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program === "nginx" ? "/usr/sbin/nginx" : "/usr/bin/caddy", {
      args: program === "nginx"
        ? ["-p", folder, "-e", `${folder}/error.log`, "-c", path]
        : ["run", "--config", path, "--adapter", "caddyfile"],
      env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.error(`NOT RUN: the tests behind ${program}, which is not installed`);
    await Deno.remove(folder, { recursive: true });
    return null;
  }
  const end = async () => {
    child.kill("SIGTERM");
    await child.status;
    await Deno.remove(folder, { recursive: true });
  };
  try {
    await eventually(`${program} listens`, async () => {
      try {
        (await Deno.connect({ hostname: "127.0.0.1", port })).close();
        return true;
      } catch {
        return false;
      }
    });
  } catch (error) {
    await end();
    throw error;
  }
  return { port, [Symbol.asyncDispose]: end };
}

const nginx = (folder: string, port: number, settings: string): string => `
daemon off;
master_process off;
pid ${folder}/pid;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    location / { ${settings} }
  }
}
`;

/** With TLS it signs its own certificate, for `localhost` alone. */
const caddy = (port: number, settings: string, tls: boolean): string => `
{
  admin off
  ${tls ? "auto_https disable_redirects" : "auto_https off"}
  skip_install_trust
}
${tls ? `https://localhost:${port}` : `http://:${port}`} {
  bind 127.0.0.1
  ${tls ? "tls internal" : ""}
  ${settings}
}
`;
