/** packaging/berth.service under a real systemd, in namespaces of its own: from nothing to a listed container. */
import assert from "node:assert/strict";
import { certificates } from "../client/certificates.ts";
import { completions } from "../../commands/completion.ts";
import { makeDebianPackage } from "../../tools/debian_package.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { preparedImage } from "./clean_machine.ts";

const { test } = await sharedEngine("docker");
const UNIT = new URL("../../packaging/berth.service", import.meta.url).pathname;

const hasSystemd = await Deno.stat("/lib/systemd/systemd").then(() => true, () => false);
const missing = hasSystemd ? null : "systemd is not installed";

/** Makes the machine as systemd sees it: only our unit, users and programs, and the engine where it usually is. */
const MACHINE = `
set -e
mount -t tmpfs tmpfs /run
touch /run/docker.sock
mount --bind "$SOCKET" /run/docker.sock
mount --bind "$PROGRAM" /opt
mkdir -p /run/units /run/credstore
cp "$FOLDER"/units/* /run/units/
cp "$FOLDER"/credentials/* /run/credstore/ 2>/dev/null || true
if [ -n "$PACKAGE" ]; then
  for folder in etc usr var; do
    mkdir -p "/run/over/$folder/upper" "/run/over/$folder/work"
    mount -t overlay overlay -o "lowerdir=/$folder,upperdir=/run/over/$folder/upper,workdir=/run/over/$folder/work" "/$folder"
  done
  rm -f /var/lib/man-db/auto-update # else the index of all the machine's manual pages is made anew
  dpkg -i "$PACKAGE" >"$FOLDER/dpkg.log" 2>&1
else
  mount --bind "$FOLDER/passwd" /etc/passwd
  mount --bind "$FOLDER/group" /etc/group
  mount --bind "$FOLDER/bin" /usr/local/bin
  mount -t tmpfs tmpfs /var/lib
fi
mount -t tmpfs tmpfs /srv
mkdir /srv/shop
echo "services: {web: {image: web}}" >/srv/shop/compose.yaml
ln -s /etc/passwd /srv/shop/planted.env
ln -s /etc /srv/shop/planted
umount /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
ip link set lo up
# Among themselves, as where systemd boots: what it mounts for a service must arrive there.
mount --make-rshared /
export container=test SYSTEMD_UNIT_PATH=/run/units:/run/from-package
mkdir /run/from-package
[ -z "$PACKAGE" ] || ln -s /usr/lib/systemd/system/berth.service /run/from-package/
exec /lib/systemd/systemd --system --unit=basic.target --log-target=null --show-status=no
`;

/** A control group of its own, so that nothing of it is left in the machine's. */
const GROUP = `
umount -R /sys/fs/cgroup 2>/dev/null
mount -t cgroup2 none /sys/fs/cgroup && mkdir "/sys/fs/cgroup/$NAME" && echo 0 >"/sys/fs/cgroup/$NAME/cgroup.procs" &&
exec unshare --cgroup bash -c "$MACHINE"
`;

let prepared: ReturnType<typeof preparedImage> | undefined;
Deno.test.afterAll(async () => await (await prepared)?.[Symbol.asyncDispose]());

/** Returns the folder that an image is built in, which all machines of this file share. */
async function preparedProgram(): Promise<string> {
  const { path } = await (prepared ??= preparedImage());
  await Deno.chmod(path, 0o755);
  return path;
}

/** The unit and its machine. */
class Machine implements AsyncDisposable {
  private constructor(
    readonly process: Deno.ChildProcess,
    readonly pid: number,
    readonly folder: string,
  ) {}

  static async start(
    engine: TestEngine,
    { credentials = {}, isPackaged = false }: {
      readonly credentials?: Readonly<Record<string, string>>;
      readonly isPackaged?: boolean;
    } = {},
  ): Promise<Machine> {
    const folder = await Deno.makeTempDir({ prefix: "berth-unit-" });
    for (const name of ["bin", "units", "credentials"]) await Deno.mkdir(`${folder}/${name}`);
    await Deno.chmod(folder, 0o755);
    // The binary's place is taken by what the image runs: the real one is built by the release alone.
    const program =
      "exec /opt/runtime/usr/bin/deno run -A --no-prompt --cached-only /opt/program/berth/main.ts";
    await write(
      `${folder}/bin/berth`,
      `#!/bin/sh\nDENO_DIR=/opt/program/berth/.deno ${program} "$@"\n`,
      0o755,
    );
    const users = await Deno.readTextFile("/etc/passwd");
    await write(`${folder}/passwd`, `${users}berth:x:64999:64999::/nonexistent:/usr/sbin/nologin\n`);
    await write(`${folder}/group`, `${await Deno.readTextFile("/etc/group")}berth:x:64999:\n`);
    const bare = "[Unit]\nDefaultDependencies=no\n";
    for (const target of ["basic", "sysinit", "shutdown", "multi-user", "network-online"]) {
      await write(`${folder}/units/${target}.target`, bare);
    }
    let deb = "";
    if (isPackaged) {
      deb = `${folder}/${await makeDebianPackage(`${folder}/bin/berth`, completions(), folder)}`;
    } else await Deno.copyFile(UNIT, `${folder}/units/berth.service`);
    for (const [name, text] of Object.entries(credentials)) {
      await write(`${folder}/credentials/${name}`, text, 0o600);
    }
    const child = new Deno.Command("unshare", {
      args: [
        ..."--net --mount --pid --uts --fork --kill-child --mount-proc --propagation private bash -c".split(
          " ",
        ),
        GROUP,
      ],
      env: {
        SOCKET: engine.socket,
        FOLDER: folder,
        PROGRAM: await preparedProgram(),
        NAME: nameOf(folder),
        PACKAGE: deb,
        MACHINE,
      },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const pid = Number(
      await eventually("it has a first process", async () => {
        return (await Deno.readTextFile(`/proc/${child.pid}/task/${child.pid}/children`)).trim();
      }),
    );
    const machine = new Machine(child, pid, folder);
    await eventually(
      "systemd is there",
      async () => (await machine.systemctl("is-system-running")).out === "running",
    );
    return machine;
  }

  async inside(...words: readonly string[]): Promise<{ code: number; out: string }> {
    const { code, stdout } = await new Deno.Command("nsenter", {
      args: ["-t", String(this.pid), "-m", "-p", "-n", "-C", "timeout", "20", ...words],
      stdin: "null",
      stderr: "null",
    }).output();
    return { code, out: new TextDecoder().decode(stdout).trim() };
  }

  /** Asks its berth. */
  async ask(
    path: string,
    { key, body, curl = [] }: {
      readonly key?: string;
      readonly body?: unknown;
      readonly curl?: readonly string[];
    } = {},
  ) {
    const { out } = await this.inside(
      ...["curl", "-s", "-w", "\n%{http_code}", `http://127.0.0.1:8700/api/${path}`],
      ...(key === undefined ? [] : ["-H", `authorization: Bearer ${key}`]),
      ...(body === undefined ? [] : ["-H", "content-type: application/json", "-d", JSON.stringify(body)]),
      ...curl,
    );
    const end = out.lastIndexOf("\n");
    const text = out.slice(0, end);
    const isJson = /^[[{]/.test(text);
    return { status: Number(out.slice(end + 1)), text, body: isJson ? JSON.parse(text) : null };
  }

  systemctl(...words: readonly string[]) {
    return this.inside("systemctl", ...words);
  }

  async property(name: string): Promise<string> {
    return (await this.systemctl("show", "-P", name, "berth")).out;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill("SIGKILL");
    await this.process.status;
    await eventually(
      "its processes are gone",
      () => Deno.stat(`/proc/${this.pid}`).then(() => false, () => true),
    );
    const groups = `mount -t cgroup2 none /mnt && find "/mnt/${
      nameOf(this.folder)
    }" -depth -type d -exec rmdir {} +`;
    await new Deno.Command("unshare", { args: ["--mount", "bash", "-c", groups] }).output();
    await Deno.remove(this.folder, { recursive: true });
  }
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf("/") + 1);
}

async function write(path: string, text: string, mode = 0o644): Promise<void> {
  await Deno.writeTextFile(path, text);
  await Deno.chmod(path, mode);
}

test(
  "berth.service starts without credentials or settings, lists containers, follows no planted link, reloads and stops (R41)",
  async (engine) => {
    await engine.cli("run", "-d", "--name", "web", FIXTURE);
    await using machine = await Machine.start(engine);

    assert.equal((await machine.systemctl("start", "berth")).code, 0);
    const probe = ["curl", "-s", "http://127.0.0.1:8700/api/health/ready"];
    await eventually("it is ready", async () => (await machine.inside(...probe)).out === "ready");
    const pid = await machine.property("MainPID");
    assert.equal((await machine.systemctl("reload", "berth")).code, 0);

    const token = (await machine.inside("cat", "/var/lib/berth/setup-token")).out;
    const { body: { key } } = await machine.ask("settings/setup", { body: { token, name: "me" } });
    const { body: { items } } = await machine.ask("containers", { key });
    assert.deepEqual(items.map(({ name }: { name: string }) => name), ["web"]);

    const { body: { id } } = await machine.ask("workspaces", { key, body: { path: "/srv/shop" } });
    const files = await machine.ask(`workspaces/${id}/files`, { key });
    assert.deepEqual(files.body.items.map(({ path }: { path: string }) => path), ["compose.yaml"]);
    assert.equal((await machine.ask(`workspaces/${id}/files/compose.yaml`, { key })).status, 200);
    for (const planted of ["planted.env", "planted/passwd"]) {
      const { status, text } = await machine.ask(`workspaces/${id}/files/${planted}`, { key });
      assert.deepEqual([status, /root:/.test(text)], [404, false], `${planted}: ${text}`);
    }

    const editable = ["-X", "PUT", "-H", "content-type: application/json", "-d", '{"editable": true}'];
    const edit = () => machine.ask(`workspaces/${id}`, { key, curl: editable });
    const refused = (await edit()).body.title;
    const line = /systemctl edit berth\.service, \[Service\] and (ReadWritePaths=\S+) /.exec(refused)?.[1];
    assert.ok(line, refused);

    assert.equal(await machine.property("MainPID"), pid, "a reload ends nothing");
    assert.equal((await machine.inside("stat", "-c", "%a %U", "/var/lib/berth")).out, "700 berth");
    assert.equal((await machine.systemctl("stop", "berth")).code, 0);
    assert.equal(await machine.property("Result"), "success");

    const dropIn =
      `mkdir /run/units/berth.service.d && printf '[Service]\n%s\n' '${line}' >/run/units/berth.service.d/a.conf`;
    await machine.inside("sh", "-c", `${dropIn} && chown -R berth: /srv/shop && systemctl daemon-reload`);
    assert.equal((await machine.systemctl("start", "berth")).code, 0);
    await eventually("it is ready again", async () => (await machine.inside(...probe)).out === "ready");
    const { status, text } = await edit();
    assert.equal(status, 200, text);
    await engine.cli("rm", "-f", "web");
  },
  missing,
);

test("the Debian package installs, starts, and is purged with all that it brought", async (engine) => {
  await engine.cli("run", "-d", "--name", "web", FIXTURE);
  await using machine = await Machine.start(engine, { isPackaged: true });
  const { code, out } = await machine.inside("dpkg-query", "-W", "-f", "${Status}", "berth");
  assert.deepEqual(
    [code, out],
    [0, "install ok installed"],
    await Deno.readTextFile(`${machine.folder}/dpkg.log`),
  );

  assert.equal((await machine.systemctl("start", "berth")).code, 0);
  const probe = ["curl", "-s", "http://127.0.0.1:8700/api/health/ready"];
  await eventually("it is ready", async () => (await machine.inside(...probe)).out === "ready");
  const token = (await machine.inside("cat", "/var/lib/berth/setup-token")).out;
  const { body: { key } } = await machine.ask("settings/setup", { body: { token, name: "me" } });
  const { body: { items } } = await machine.ask("containers", { key });
  assert.deepEqual(items.map(({ name }: { name: string }) => name), ["web"]);
  assert.equal((await machine.inside("test", "-s", "/usr/share/man/man1/berth.1")).code, 0);
  assert.equal((await machine.inside("bash", "-n", "/usr/share/bash-completion/completions/berth")).code, 0);

  const purged = await machine.inside("dpkg", "--purge", "berth");
  assert.equal(purged.code, 0, purged.out);
  assert.equal(await machine.property("ActiveState"), "inactive");
  for (const path of ["/usr/bin/berth", "/var/lib/berth", "/usr/lib/systemd/system/berth.service"]) {
    assert.equal((await machine.inside("test", "-e", path)).code, 1, path);
  }
  await engine.cli("rm", "-f", "web");
}, missing);

test("berth.service takes certificate and key from the credential store", async (engine) => {
  const { cert, key } = (await certificates())["self-signed leaf"];
  await using machine = await Machine.start(engine, {
    credentials: { "berth.tls-cert": cert, "berth.tls-key": key },
  });

  await machine.systemctl("start", "berth");
  const probe = ["curl", "-sk", "https://127.0.0.1:8700/api/health/ready"];
  await eventually("it is ready, with TLS", async () => (await machine.inside(...probe)).out === "ready");
}, missing);

test("berth.service is not started again after a mistake in the settings", async (engine) => {
  const { cert } = (await certificates())["self-signed leaf"];
  await using machine = await Machine.start(engine, { credentials: { "berth.tls-cert": cert } }); // and no key

  await machine.systemctl("start", "berth");
  await eventually("it has failed", async () => (await machine.property("ActiveState")) === "failed");
  assert.deepEqual([await machine.property("ExecMainStatus"), await machine.property("NRestarts")], [
    "64",
    "0",
  ]);
}, missing);

Deno.test(
  "berth.service is exposed at 2.0 at most, by systemd's own measure (R41, R63)",
  { ignore: !hasSystemd },
  async () => {
    const { success, stdout } = await new Deno.Command("systemd-analyze", {
      args: ["security", "--offline=true", "--threshold=20", UNIT],
    }).output();

    assert.ok(success, new TextDecoder().decode(stdout).split("\n").slice(-3).join("\n"));
  },
);
