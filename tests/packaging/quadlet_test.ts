/**
 * packaging/podman/berth.container as a user without rights has it: a user's systemd in namespaces of its own, Podman
 * without root, and Quadlet. The commands are those of the file's own comment.
 */
import assert from "node:assert/strict";
import { IMAGE } from "../../tools/names.ts";
import { run } from "../../tools/run.ts";
import { VERSION } from "../../version.ts";
import { eventually } from "../support/eventually.ts";
import { quoted } from "../support/sandbox.ts";
import { preparedImage } from "./clean_machine.ts";
import { quadletProgram } from "./quadlet_program.ts";

const FILE = new URL("../../packaging/podman/berth.container", import.meta.url).pathname;
const UID = 1000;
const RUNTIME = `/run/user/${UID}`;
const URL_OF_BERTH = "http://127.0.0.1:8700";

/**
 * Debian's Podman 4.3 has no generator yet, and leaves the file with the container's id behind, which 4.4 removes. What
 * control groups of the first version lack is left out.
 */
const generator = (quadlet: string) =>
  `#!/bin/sh
${quoted(quadlet)} -user "$@" || exit
unit="$1/berth.service"
[ -f "$unit" ] || exit 0
sed -i '/^ExecStopPost=/a ExecStopPost=-/usr/bin/rm -f %t/%N.cid' "$unit"
if grep -q :memory: /proc/self/cgroup; then sed -i s/--cgroups=split/--cgroups=disabled/ "$unit"; fi
if ! grep -qw memory /sys/fs/cgroup/cgroup.controllers; then sed -i 's/--memory=2g --memory-swap=2g//' "$unit"; fi
`;

/** Files instead of journald, and control groups without a session bus. */
const SETTINGS = `[containers]
log_driver = "k8s-file"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
`;

const MACHINE = `
set -e
mount -t tmpfs tmpfs /run
mkdir -p ${RUNTIME} /run/systemd/system
mount -t tmpfs tmpfs /dev/net
mknod -m 666 /dev/net/tun c 10 200
for file in passwd group subuid subgid; do mount --bind "$FOLDER/$file" "/etc/$file"; done
mount -t tmpfs tmpfs /usr/lib/systemd/user-generators
cp "$FOLDER/generator" /usr/lib/systemd/user-generators/podman-user-generator
umount -R /sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 none /sys/fs/cgroup
ip link set lo up
# Among themselves, as where systemd boots.
mount --make-rshared /
chown -R ${UID}:${UID} ${RUNTIME} /sys/fs/cgroup
setpriv --reuid ${UID} --regid ${UID} --clear-groups env -i -C "$FOLDER/home" HOME="$FOLDER/home" USER=ada PATH=/usr/bin:/bin:/usr/sbin XDG_RUNTIME_DIR=${RUNTIME} /lib/systemd/systemd --user --log-target=null
exit
`;

/** A control group of its own, so that nothing of it is left in the machine's. */
const GROUP = `
umount -R /sys/fs/cgroup 2>/dev/null
mount -t cgroup2 none /sys/fs/cgroup && mkdir "/sys/fs/cgroup/$NAME" && echo 0 >"/sys/fs/cgroup/$NAME/cgroup.procs" &&
exec unshare --cgroup bash -c "$MACHINE"
`;

/** A user's systemd, and the commands of that user. */
class UserMachine implements AsyncDisposable {
  private constructor(readonly folder: string, readonly process: Deno.ChildProcess, readonly pid: number) {}

  static async start(quadlet: string, image: string): Promise<UserMachine> {
    const folder = await Deno.makeTempDir({ prefix: "berth-quadlet-" });
    await Deno.chmod(folder, 0o755);
    await Deno.mkdir(`${folder}/home/.config/containers`, { recursive: true });
    const users = await Deno.readTextFile("/etc/passwd");
    const groups = await Deno.readTextFile("/etc/group");
    const files = {
      passwd: `${users}ada:x:${UID}:${UID}::${folder}/home:/bin/bash\n`,
      group: `${groups}ada:x:${UID}:\n`,
      subuid: "ada:100000:65536\n",
      subgid: "ada:100000:65536\n",
      "home/.config/containers/containers.conf": SETTINGS,
    };
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${folder}/${name}`, text);
    await Deno.copyFile(quadlet, `${folder}/quadlet`);
    await Deno.chmod(`${folder}/quadlet`, 0o755);
    await Deno.writeTextFile(`${folder}/generator`, generator(`${folder}/quadlet`));
    await Deno.chmod(`${folder}/generator`, 0o755);
    await run("cp", ["-a", image, `${folder}/home/image`]);
    await Deno.copyFile(FILE, `${folder}/home/berth.container`);
    await run("chown", ["-R", `${UID}:${UID}`, `${folder}/home`]);
    const apart = "--net --mount --pid --uts --fork --kill-child --mount-proc --propagation private bash -c";
    const child = new Deno.Command("unshare", {
      args: [...apart.split(" "), GROUP],
      env: { FOLDER: folder, NAME: nameOf(folder), MACHINE },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const pid = Number(
      await eventually("it has a first process", async () => {
        return (await Deno.readTextFile(`/proc/${child.pid}/task/${child.pid}/children`)).trim();
      }),
    );
    const machine = new UserMachine(folder, child, pid);
    await eventually("the user's systemd is there", async () => {
      return (await machine.shell("systemctl --user is-system-running")).out === "running";
    });
    return machine;
  }

  /** Runs a script as the user. */
  async shell(script: string): Promise<{ code: number; out: string; error: string }> {
    const env = [`HOME=${this.folder}/home`, "USER=ada", "PATH=/usr/bin:/bin", `XDG_RUNTIME_DIR=${RUNTIME}`];
    const { code, stdout, stderr } = await new Deno.Command("nsenter", {
      args: [
        ...["-t", String(this.pid), "-m", "-p", "-n", "-C", `--wd=${this.folder}/home`, "timeout", "120"],
        ...["setpriv", "--reuid", String(UID), "--regid", String(UID), "--clear-groups", "env", "-i", ...env],
        ...["bash", "-ec", script],
      ],
      stdin: "null",
    }).output();
    const [out = "", error = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
    return { code, out, error };
  }

  /** Runs a script that must succeed. */
  async must(script: string): Promise<string> {
    const { code, out, error } = await this.shell(script);
    assert.equal(code, 0, `${script}: ${out}\n${error}`);
    return out;
  }

  // deno-lint-ignore no-explicit-any -- a test reads what it expects and fails where it is absent
  async ask(method: string, path: string, key?: string, body?: unknown, tag = "*"): Promise<any> {
    const words = ["curl", "-sS", "-m", "20", "-X", method, `${URL_OF_BERTH}/api/${path}`];
    words.push("-H", "content-type: application/json", "-H", `if-match: ${tag}`);
    if (key !== undefined) words.push("-H", `authorization: Bearer ${key}`);
    if (body !== undefined) words.push("-d", JSON.stringify(body));
    return JSON.parse(await this.must(words.map(quoted).join(" ")) || "null");
  }

  async ready(): Promise<void> {
    const probe = `curl -s ${URL_OF_BERTH}/api/health/ready || true`;
    await eventually("it is ready", async () => (await this.must(probe)) === "ready");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill("SIGKILL");
    await this.process.status;
    await eventually("it is gone", () => Deno.stat(`/proc/${this.pid}`).then(() => false, () => true));
    const groups = `mount -t cgroup2 none /mnt && find "/mnt/${
      nameOf(this.folder)
    }" -depth -type d -exec rmdir {} +`;
    await new Deno.Command("unshare", { args: ["--mount", "bash", "-c", groups] }).output();
    await run("rm", ["-rf", this.folder]);
  }
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf("/") + 1);
}

/** Returns why this machine cannot run it, or null. */
async function whatIsMissing(): Promise<string | null> {
  if (Deno.env.get("BERTH_PROOF") !== "1") return "it is in `deno task proof`";
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return "that takes root on Linux";
  const programs = ["podman", "newuidmap", "slirp4netns", "go", "setpriv", "/lib/systemd/systemd"];
  for (const program of programs) {
    const found = await new Deno.Command("bash", { args: ["-c", `type -P "$0"`, program], stdin: "null" })
      .output();
    if (!found.success) return `"${program}" is not installed`;
  }
  return null;
}

const missing = await whatIsMissing();
if (missing !== null) console.error(`NOT RUN: Podman and Quadlet without root, because ${missing}`);

Deno.test({
  name:
    "packaging/podman/berth.container starts as its comment says, without root, and edits its user's own files",
  ignore: missing !== null,
  async fn() {
    await using prepared = await preparedImage();
    await using machine = await UserMachine.start(await quadletProgram(), prepared.path);
    await machine.must(`podman build -q --format docker --target berth -t ${IMAGE}:${VERSION} image`);
    const text = await Deno.readTextFile(FILE);
    const commands = [...text.matchAll(/^# {3}(\S.*)$/gm)].map(([, line]) => line!);
    assert.ok(commands.length >= 5 && commands.at(-1)?.startsWith("podman logs berth"), commands.join("\n"));

    await machine.must(commands.slice(0, -1).join("\n"));
    await machine.ready();
    const token = /#setup=(\S+)/.exec(await machine.must(commands.at(-1)!))?.[1];
    const { key } = await machine.ask("POST", "settings/setup", undefined, { token, name: "me" });
    const { items } = await machine.ask("GET", "containers", key);
    assert.deepEqual(items.map(({ name, state }: Record<string, string>) => [name, state]), [[
      "berth",
      "running",
    ]]);
    assert.match(
      await machine.must("podman exec berth deno run -A main.ts doctor"),
      /checks: 0 wrong, 0 risky/,
    );

    const shop = `${machine.folder}/home/projects/shop`;
    await machine.must(`mkdir -p ${shop} && echo 'services: {web: {image: "web:1"}}' > ${shop}/compose.yaml`);
    const { id } = await machine.ask("POST", "workspaces", key, { path: shop });
    await machine.ask("PUT", `workspaces/${id}`, key, { editable: true });
    const file = `workspaces/${id}/files/compose.yaml`;
    const head = await machine.must(
      `curl -sSi ${URL_OF_BERTH}/api/${file} -H 'authorization: Bearer ${key}'`,
    );
    const saved = 'services: {web: {image: "web:2"}}\n';
    await machine.ask("PUT", file, key, { text: saved }, /^etag: (\S+)/mi.exec(head)?.[1]);
    assert.equal(await Deno.readTextFile(`${shop}/compose.yaml`), saved);
    assert.equal((await Deno.stat(`${shop}/compose.yaml`)).uid, UID, "it is the user's still");

    await machine.must("systemctl --user restart berth");
    await machine.ready();
    assert.equal((await machine.ask("GET", `workspaces/${id}`, key)).path, shop);
    await machine.must("systemctl --user stop berth");
    assert.equal(await machine.must("podman ps -aq"), "");
    assert.equal(await machine.must("systemctl --user show -P Result berth"), "success");

    const unit = "~/.config/containers/systemd/berth.container";
    await machine.must(`sed -i '/^Environment=BERTH_ROOTS/a Environment=BERTH_PORT=none' ${unit}`);
    await machine.shell("systemctl --user daemon-reload && systemctl --user start berth");
    const show = (name: string) => machine.must(`systemctl --user show -P ${name} berth`);
    await eventually("a wrong setting ends it", async () => await show("ActiveState") === "failed");
    assert.deepEqual([await show("ExecMainStatus"), await show("NRestarts")], ["64", "0"]);
  },
});
