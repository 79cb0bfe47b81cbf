/** A host that is reached by ssh: Debian's sshd in namespaces of its own, with people who may use an engine and who may not. */
import { NoEngine } from "./engine.ts";
import { eventually } from "./eventually.ts";
import { quoted, Sandbox } from "./sandbox.ts";

/**
 * The people that sign in: `ada` may open the engine's socket, `eve` may not, `nobody-in` has no key there, `bot` no
 * shell.
 */
const PEOPLE = ["ada", "eve", "stranger", "bot"] as const;
export type Person = (typeof PEOPLE)[number];

export class SshHost implements AsyncDisposable {
  /** The program for `BERTH_SSH`: the system's ssh, in the host's network, with a user's configuration of its own. */
  readonly program: string;

  private constructor(readonly folder: string, readonly sandbox: Sandbox) {
    this.program = `${folder}/ssh`;
  }

  /** `engine` is the unix socket that the host shows as /var/run/docker.sock. */
  static async start(engine: string): Promise<SshHost> {
    for (const program of ["/usr/sbin/sshd", "/usr/bin/ssh", "/usr/bin/nsenter"]) {
      if (!await Deno.stat(program).then(() => true, () => false)) {
        throw new NoEngine(`"${program}" is not installed`);
      }
    }
    const folder = await Deno.makeTempDir({ prefix: "bssh" });
    await Deno.chmod(folder, 0o755);
    const host = new SshHost(folder, new Sandbox({ PATH: Deno.env.get("PATH") ?? "" }));
    try {
      await host.#prepare(engine);
      await host.listen();
    } catch (error) {
      await host[Symbol.asyncDispose]();
      throw error;
    }
    return host;
  }

  /** Starts sshd. */
  async listen(): Promise<void> {
    const command = `/usr/sbin/sshd -D -e -f ${this.folder}/sshd_config`;
    await this.sandbox.run(`${command} >>${this.folder}/log 2>&1 & sshd=$!`);
    await eventually("sshd listens", async () => {
      if (await this.sandbox.run("(: </dev/tcp/127.0.0.1/22) 2>/dev/null") === 0) return true;
      const log = await Deno.readTextFile(`${this.folder}/log`);
      if (await this.sandbox.run("kill -0 $sshd 2>/dev/null") !== 0) throw new Error(`sshd ended: ${log}`);
    });
  }

  /** Makes it reachable from the network of another process, and answers the address there. */
  async linkTo(pid: number): Promise<string> {
    const [a, b] = crypto.getRandomValues(new Uint8Array(2));
    const at = (number: number) => `198.18.${a}.${(b! & 0xfc) + number}`; // of the block for tests of networks
    const ends = ["bs1", "netns", String(pid), "type", "veth", "peer", "name", "bs2"];
    const words = ["link", "add", ...ends, "netns", String(this.sandbox.pid)];
    const { success } = await new Deno.Command("ip", { args: words }).output();
    const there = `nsenter --net=/proc/${pid}/ns/net ip`;
    const commands = [`addr add ${at(1)}/30 dev bs1`, "link set bs1 up"].map((one) => `${there} ${one}`);
    for (const command of commands) {
      const [program = "", ...args] = command.split(" ");
      await new Deno.Command(program, { args }).output();
    }
    if (!success || await this.sandbox.run(`ip addr add ${at(2)}/30 dev bs2 && ip link set bs2 up`) !== 0) {
      throw new Error("The host of a test cannot be linked");
    }
    return at(2);
  }

  /** Ends sshd and every connection to it. */
  async end(): Promise<void> {
    await this.sandbox.run("kill -9 $sshd; wait $sshd 2>/dev/null; pkill -9 sshd");
  }

  /** Cuts the link to the host: nothing arrives, and nobody is told. */
  async cut(): Promise<void> {
    await this.sandbox.run("ip link set lo down");
  }

  async mend(): Promise<void> {
    await this.sandbox.run("ip link set lo up");
  }

  /** Gives the host another key, as a host that was installed again has. */
  async changeKey(): Promise<void> {
    await Deno.remove(`${this.folder}/host`);
    await Deno.remove(`${this.folder}/host.pub`);
    await generate(`${this.folder}/host`);
    await this.end();
    await this.listen();
  }

  /** Gives the user's key a passphrase, which nobody can be asked for. */
  async protectKey(): Promise<void> {
    const args = ["-q", "-p", "-P", "", "-N", "not typed by anybody", "-f", `${this.folder}/key`];
    await new Deno.Command("ssh-keygen", { args }).output();
  }

  /** A folder `.ssh` for somebody else, who knows the host by this address and may sign in. */
  async homeFor(uid: number, address: string): Promise<string> {
    const home = `${this.folder}/own`;
    await Deno.mkdir(home);
    const known = (await Deno.readTextFile(`${this.folder}/known_hosts`)).replace("nas", address);
    await Deno.writeTextFile(`${home}/known_hosts`, known);
    await Deno.copyFile(`${this.folder}/key`, `${home}/id_ed25519`);
    await Deno.chmod(`${home}/id_ed25519`, 0o600);
    await Deno.chown(`${home}/id_ed25519`, uid, uid);
    return home;
  }

  /** Adds a line to sshd's configuration, which counts for later connections. */
  async configure(lines: string): Promise<void> {
    await Deno.writeTextFile(`${this.folder}/sshd_config`, `${SSHD(this.folder)}${lines}\n`);
    await this.end();
    await this.listen();
  }

  /** The user's own configuration, beside what finds the host. */
  async userConfig(lines: string): Promise<void> {
    await Deno.writeTextFile(`${this.folder}/config`, `${USER(this.folder)}${lines}\n`);
  }

  /** The ssh processes that berth has started, of this host alone. */
  async processes(): Promise<number> {
    let count = 0;
    for await (const { name } of Deno.readDir("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      const line = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
      if (line.startsWith("ssh\0") && line.includes(`${this.folder}/config`)) count += 1;
    }
    return count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sandbox[Symbol.asyncDispose]();
    await Deno.remove(this.folder, { recursive: true });
  }

  async #prepare(engine: string): Promise<void> {
    const { folder, sandbox } = this;
    await generate(`${folder}/host`);
    await generate(`${folder}/key`);
    const key = (await Deno.readTextFile(`${folder}/key.pub`)).trim();
    for (const name of PEOPLE) await Deno.mkdir(`${folder}/home/${name}`, { recursive: true });
    for (const name of ["ada", "eve", "bot"]) await Deno.writeTextFile(`${folder}/home/${name}/keys`, key);
    const shell = (name: string) => name === "bot" ? "/usr/sbin/nologin" : "/bin/sh";
    await Deno.writeTextFile(
      `${folder}/passwd`,
      "root:x:0:0:root:/root:/bin/sh\nsshd:x:104:65534::/run/sshd:/usr/sbin/nologin\n" +
        PEOPLE.map((name, at) => `${name}:x:${4001 + at}:4000::${folder}/home/${name}:${shell(name)}\n`).join(
          "",
        ),
    );
    await Deno.writeTextFile(`${folder}/group`, "root:x:0:\nusers:x:4000:\ndocker:x:4100:ada,bot\n");
    await Deno.writeTextFile(
      `${folder}/shadow`,
      ["root", ...PEOPLE].map((name) => `${name}:*:19000::::::\n`).join(""),
    );
    await Deno.writeTextFile(`${folder}/sshd_config`, SSHD(folder));
    await Deno.writeTextFile(`${folder}/config`, USER(folder));
    const known = (await Deno.readTextFile(`${folder}/host.pub`)).split(" ").slice(0, 2).join(" ");
    await Deno.writeTextFile(`${folder}/known_hosts`, `nas ${known}\n`);
    await Deno.chown(engine, 0, 4100);
    await Deno.chmod(engine, 0o660);
    await Deno.writeTextFile(
      this.program,
      `#!/bin/sh\nexec nsenter --net=/proc/${sandbox.pid}/ns/net -- ssh -F ${folder}/config "$@"\n`,
      { mode: 0o755 },
    );
    for (
      const line of [
        "mount -t tmpfs tmpfs /run",
        "mkdir -p /run/sshd /var/run",
        `touch /run/docker.sock && mount --bind ${quoted(engine)} /run/docker.sock`,
        ...["passwd", "group", "shadow"].map((name) => `mount --bind ${folder}/${name} /etc/${name}`),
      ]
    ) {
      if (await sandbox.run(line) !== 0) throw new Error(`The host of a test failed at: ${line}`);
    }
  }
}

function SSHD(folder: string): string {
  return `ListenAddress 0.0.0.0
HostKey ${folder}/host
AuthorizedKeysFile ${folder}/home/%u/keys
StrictModes no
UsePAM no
PasswordAuthentication yes
PidFile none
Banner ${folder}/sshd_config
`;
}

function USER(folder: string): string {
  return `Host nas
  HostName 127.0.0.1
  HostKeyAlias nas
Host *
  IdentityFile ${folder}/key
  IdentitiesOnly yes
  UserKnownHostsFile ${folder}/known_hosts
  GlobalKnownHostsFile none
`;
}

async function generate(path: string): Promise<void> {
  const args = ["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", path];
  const { success } = await new Deno.Command("ssh-keygen", { args }).output();
  if (!success) throw new Error("ssh-keygen failed");
}
