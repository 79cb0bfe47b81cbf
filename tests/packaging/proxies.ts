/** The proxy files of packaging/, and a real berth behind one of them. */
import assert from "node:assert/strict";
import type { TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { quoted } from "../support/sandbox.ts";
import { askInside, inside } from "./inside.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

export interface Proxy {
  readonly name: string;
  readonly program: string;
  /** Writes its files into the folder, and answers the command that runs it; null where berth is reached without one. */
  prepare(folder: string, port: number): Promise<readonly string[] | null>;
  /** berth's settings, where they are others than behind a proxy on this machine. */
  settings?(folder: string): Readonly<Record<string, string>>;
}

const file = (name: string) => Deno.readTextFile(`${ROOT}packaging/${name}`);

export const CADDY: Proxy = {
  name: "Caddy",
  program: "/usr/bin/caddy",
  async prepare(folder, port) {
    await Deno.writeTextFile(`${folder}/Caddyfile`, await file("berth-caddy/Caddyfile"));
    const env = [
      `XDG_DATA_HOME=${folder}`,
      `XDG_CONFIG_HOME=${folder}`,
      "BERTH_HOSTNAME=localhost",
      `BERTH_PORT=${port}`,
    ];
    return ["env", ...env, "caddy", "run", "--adapter", "caddyfile", "--config", `${folder}/Caddyfile`];
  },
};

/** berth itself, with a certificate of its own. */
export const DIRECT: Proxy = {
  name: "no proxy",
  program: "/usr/bin/openssl",
  async prepare(folder) {
    await makeCertificate(folder);
    return null;
  },
  settings: (folder) => ({
    BERTH_PORT: "443",
    BERTH_TLS_CERT: `${folder}/cert.pem`,
    BERTH_TLS_KEY: `${folder}/key.pem`,
    BERTH_TRUSTED_PROXIES: "",
  }),
};

/** Writes `cert.pem` and `key.pem` for "localhost" into the folder. */
async function makeCertificate(folder: string): Promise<void> {
  const kind = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost"
    .split(" ");
  const { success } = await new Deno.Command("openssl", {
    args: [...kind, "-out", `${folder}/cert.pem`, "-keyout", `${folder}/key.pem`],
    stderr: "null",
  }).output();
  assert.ok(success);
}

/** Returns nginx with its file, from which `change` may leave something out, and Debian's number of workers. */
export function nginx(
  change: (text: string) => string = (text) => text,
  workers: "auto" | 1 = "auto",
): Proxy {
  return {
    name: workers === "auto" ? "nginx" : `nginx with ${workers} worker`,
    program: "/usr/sbin/nginx",
    async prepare(folder, port) {
      await makeCertificate(folder);
      const shipped = change(await file("nginx.conf")).replaceAll("/etc/ssl/berth", folder).replaceAll(
        "127.0.0.1:8700",
        `127.0.0.1:${port}`,
      ).replaceAll("berth.example", "localhost");
      await Deno.writeTextFile(`${folder}/berth.conf`, shipped);
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) =>
        `${name}_temp_path ${folder}/${name};`
      );
      await Deno.writeTextFile(
        `${folder}/nginx.conf`,
        `user root;\nworker_processes ${workers};\ndaemon off;\npid ${folder}/pid;\nevents { worker_connections 4096; }\nhttp {\naccess_log off;\n${
          temporary.join("\n")
        }\ninclude ${folder}/berth.conf;\n}\n`,
      );
      return ["nginx", "-c", `${folder}/nginx.conf`, "-e", `${folder}/error.log`];
    },
  };
}

export const TRAEFIK: Proxy = {
  name: "Traefik",
  program: "traefik",
  async prepare(folder, port) {
    const rules = (await file("traefik/berth.yaml")).replaceAll("127.0.0.1:8700", `127.0.0.1:${port}`)
      .replaceAll("berth.example", "localhost");
    await Deno.writeTextFile(`${folder}/berth.yaml`, rules);
    const own = (await file("traefik/traefik.yaml")).replaceAll(
      "/etc/traefik/berth.yaml",
      `${folder}/berth.yaml`,
    );
    await Deno.writeTextFile(`${folder}/traefik.yaml`, own);
    return ["traefik", `--configFile=${folder}/traefik.yaml`];
  },
};

/** Runs a berth and a proxy before it where the engine lives. Each needs a port of its own, because none ends early. */
export async function behind(
  engine: TestEngine,
  proxy: Proxy,
  port: number,
  use: (key: string, data: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "berth-proxy-" });
  const env = {
    BERTH_DATA: `${folder}/data`,
    BERTH_PORT: String(port),
    BERTH_ENGINES: engine.setting,
    BERTH_BASE_URL: "https://localhost",
    BERTH_TRUSTED_PROXIES: "127.0.0.1",
    DENO_USR2_MEMORY_TRIM: "1", // as the image, the unit and the task set it
    ...proxy.settings?.(folder),
  };
  const berth = [
    "env",
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    ...[Deno.execPath(), "run", "-A", `${ROOT}main.ts`],
  ];
  const command = await proxy.prepare(folder, port);
  const start = (words: readonly string[], log: string, name: string) =>
    engine.sandbox!.run(
      `${words.map(quoted).join(" ")} >${quoted(`${folder}/${log}`)} 2>&1 </dev/null & ${name}=$!`,
    );
  await start(berth, "berth.out", "berth");
  if (command !== null) await start(command, "proxy.out", "proxy");
  try {
    await eventually("berth answers through the proxy", async () => {
      return (await askInside(engine, "https://localhost/api/health/ready", { curl: ["-k"] })).body ===
        "ready";
    });
    const { out } = await inside(engine, ...berth, "admin-key", "me");
    await use(out.trim(), `${folder}/data`);
  } catch (error) {
    console.error(await Deno.readTextFile(`${folder}/${command === null ? "berth" : "proxy"}.out`));
    throw error;
  } finally {
    await engine.sandbox!.run("kill $berth $proxy; wait $berth $proxy 2>/dev/null; proxy=");
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs a script of this folder where the engine lives, for longer than `inside` waits for a program. */
export async function called<Seen>(
  engine: TestEngine,
  script: string,
  folder: string,
  ...args: readonly string[]
): Promise<Seen> {
  const path = new URL(script, import.meta.url).pathname;
  const flags = ["-A", "--no-check", "--unsafely-ignore-certificate-errors"];
  const words = [Deno.execPath(), "run", ...flags, path, "https://localhost", ...args].map(quoted).join(" ");
  const result = `${folder}/seen`;
  const code = await engine.sandbox!.run(
    `${words} >${quoted(result)} 2>${quoted(`${result}.error`)} </dev/null`,
  );
  assert.equal(code, 0, await Deno.readTextFile(`${result}.error`));
  return JSON.parse(await Deno.readTextFile(result));
}
