/** A Git server behind ssh: Debian's sshd on loopback with a host key of its own, for repositories in a folder. */
import { eventually } from "./eventually.ts";
import { freePort } from "./free_port.ts";

/** True where sshd and git are installed, and sshd may start. */
export function hasSshd(): boolean {
  try {
    return Deno.uid() === 0 && Deno.statSync("/usr/sbin/sshd").isFile && Deno.statSync("/usr/bin/ssh").isFile;
  } catch {
    return false;
  }
}

export class GitSshServer implements AsyncDisposable {
  #child: Deno.ChildProcess | null = null;

  private constructor(readonly folder: string, readonly port: number) {}

  static async start(): Promise<GitSshServer> {
    const server = new GitSshServer(await Deno.makeTempDir({ prefix: "berth-git-ssh-" }), await freePort());
    await Deno.mkdir("/run/sshd", { recursive: true });
    await server.newHostKey();
    await server.admit([]);
    return server;
  }

  /** The address of a repository in a folder of this machine. */
  urlOf(path: string): string {
    return `ssh://root@127.0.0.1:${this.port}${path}`;
  }

  /** Lets in those who have these keys, to read and write. */
  async admit(keys: readonly string[]): Promise<void> {
    await Deno.writeTextFile(`${this.folder}/authorized_keys`, keys.map((key) => `${key}\n`).join(""));
  }

  /** Gives the server another host key, and starts it again. Returns its fingerprint as ssh-keygen shows it. */
  async newHostKey(): Promise<string> {
    await this.#stop();
    const key = `${this.folder}/host_key`;
    for (const path of [key, `${key}.pub`]) await Deno.remove(path).catch(() => {});
    await output("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key);
    await this.#listen();
    return (await output("ssh-keygen", "-lf", `${key}.pub`)).split(" ")[1]!;
  }

  /** What sshd has logged. */
  log(): Promise<string> {
    return Deno.readTextFile(`${this.folder}/log`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
    await Deno.remove(this.folder, { recursive: true });
  }

  async #listen(): Promise<void> {
    const lines = [
      `Port ${this.port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${this.folder}/host_key`,
      `AuthorizedKeysFile ${this.folder}/authorized_keys`,
      "StrictModes no",
      "PermitRootLogin prohibit-password",
      "PasswordAuthentication no",
      "UsePAM no",
      "PidFile none",
      "AcceptEnv GIT_PROTOCOL",
      "LogLevel VERBOSE",
    ];
    await Deno.writeTextFile(`${this.folder}/sshd_config`, `${lines.join("\n")}\n`);
    this.#child = new Deno.Command("/usr/sbin/sshd", {
      args: ["-D", "-E", `${this.folder}/log`, "-f", `${this.folder}/sshd_config`],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await eventually("sshd listens", async () => {
      using _ = await Deno.connect({ hostname: "127.0.0.1", port: this.port });
      return true;
    });
  }

  async #stop(): Promise<void> {
    this.#child?.kill("SIGTERM");
    await this.#child?.status;
    this.#child = null;
  }
}

async function output(program: string, ...args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args: [...args] }).output();
  if (!success) throw new Error(`${program}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}
