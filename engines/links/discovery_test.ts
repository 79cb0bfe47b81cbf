import assert from "node:assert/strict";
import { findEngines, type FoundEngine } from "./discovery.ts";

/** A home folder with sockets at these paths, which nobody listens on. */
class Home implements Disposable {
  readonly path = Deno.makeTempDirSync({ prefix: "bh" });

  socket(path: string): string {
    const whole = `${this.path}/${path}`;
    Deno.mkdirSync(whole.slice(0, whole.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(whole, "");
    return whole;
  }

  context(name: string, host: unknown, tls = false): void {
    const folder = `${this.path}/.docker/contexts`;
    Deno.mkdirSync(`${folder}/meta/${name}`, { recursive: true });
    const meta = { Name: name, Endpoints: { docker: { Host: host } } };
    Deno.writeTextFileSync(`${folder}/meta/${name}/meta.json`, JSON.stringify(meta));
    if (!tls) return;
    Deno.mkdirSync(`${folder}/tls/${name}/docker`, { recursive: true });
    for (const part of ["ca", "cert", "key"]) {
      Deno.writeTextFileSync(`${folder}/tls/${name}/docker/${part}.pem`, part);
    }
  }

  /** Returns the engines found below this home, without the machine's own. */
  async found(dockerHost: string | null = null): Promise<FoundEngine[]> {
    const runtimeFolder = `${this.path}/run`;
    const all = await findEngines({ home: this.path, runtimeFolder, dockerHost });
    return all.filter((one) =>
      !("address" in one && typeof one.address === "object" && /^\/(var\/)?run\//.test(pathOf(one)))
    );
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

function pathOf(found: FoundEngine): string {
  return typeof found.address === "object" && found.address.kind === "unix" ? found.address.path : "";
}

Deno.test("findEngines looks where each tool puts its socket", async () => {
  using home = new Home();
  const sockets: Record<string, string> = {
    "docker-rootless": home.socket("run/docker.sock"),
    "podman-rootless": home.socket("run/podman/podman.sock"),
    "docker-desktop": home.socket(".docker/run/docker.sock"),
    "rancher-desktop": home.socket(".rd/docker.sock"),
    "orbstack": home.socket(".orbstack/run/docker.sock"),
    "colima": home.socket(".colima/default/docker.sock"),
    "colima-work": home.socket(".colima/work/docker.sock"),
    "podman-qemu": home.socket(".local/share/containers/podman/machine/qemu/podman.sock"),
  };

  const found = await home.found();

  assert.deepEqual(Object.fromEntries(found.map((one) => [one.name, pathOf(one)])), sockets);
});

Deno.test("findEngines finds nothing where nothing is, and does not fail", async () => {
  using home = new Home();
  assert.deepEqual(await home.found(), []);
  Deno.writeTextFileSync(`${home.path}/.docker`, "not a folder");
  assert.deepEqual(await home.found(), []);
});

Deno.test("findEngines names one socket once, however many ways lead to it", async () => {
  using home = new Home();
  const socket = home.socket(".colima/default/docker.sock");
  Deno.mkdirSync(`${home.path}/run`);
  Deno.symlinkSync(socket, `${home.path}/run/docker.sock`);
  home.context("colima", `unix://${socket}`);

  const found = await home.found(`unix://${socket}`);

  assert.deepEqual(found.map((one) => one.name), ["docker-host"]);
});

Deno.test("findEngines reads Docker's contexts: the current one first, TLS only with its material, others as unsupported", async () => {
  using home = new Home();
  home.context("a-plain", "unix:///nowhere/a.sock");
  home.context("My Remote", "tcp://192.0.2.7:2376", true);
  home.context("bare", "tcp://user:secret@192.0.2.8:2375");
  home.context("shell", "ssh://me@192.0.2.9");
  home.context("broken", 5);
  Deno.mkdirSync(`${home.path}/.docker/contexts/meta/torn`);
  Deno.writeTextFileSync(`${home.path}/.docker/contexts/meta/torn/meta.json`, "{");
  Deno.writeTextFileSync(`${home.path}/.docker/config.json`, JSON.stringify({ currentContext: "My Remote" }));

  const found = await home.found();

  const tls = `${home.path}/.docker/contexts/tls/My Remote/docker`;
  assert.deepEqual(found[0], {
    name: "my-remote",
    guess: "docker",
    address: {
      kind: "tls",
      host: "192.0.2.7",
      port: 2376,
      files: { ca: `${tls}/ca.pem`, cert: `${tls}/cert.pem`, key: `${tls}/key.pem` },
    },
  });
  assert.deepEqual(found.map((one) => one.name).sort(), ["a-plain", "bare", "my-remote", "shell"]);
  const [bare, shell] = ["bare", "shell"].map((name) => found.find((each) => each.name === name));
  assert.ok(bare !== undefined && "unsupported" in bare);
  assert.doesNotMatch(bare.address, /secret/);
  assert.ok(shell !== undefined && "unsupported" in shell);
  assert.match(shell.unsupported, /set BERTH_ENGINES=found,shell=ssh:\/\/me@192\.0\.2\.9$/);
});
