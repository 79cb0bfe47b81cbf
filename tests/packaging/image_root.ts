/** berth as it is in an image, with the image's files as its root and its user, in the network of the test. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free_port.ts";
import { TestCaller } from "../support/service.ts";

const USER = 65_532;

export class ImageRoot implements AsyncDisposable {
  private constructor(
    readonly folder: string,
    readonly caller: TestCaller,
    private readonly child: Deno.ChildProcess,
  ) {}

  /** `layers` are laid over each other; `files` are put into `/tmp`. */
  static async start(
    layers: readonly string[],
    { files, env }: {
      readonly files: Readonly<Record<string, string>>;
      readonly env: Readonly<Record<string, string>>;
    },
  ): Promise<ImageRoot> {
    const folder = await Deno.makeTempDir({ prefix: "berth-root-" });
    await Deno.chmod(folder, 0o755);
    for (const layer of layers) await run("cp", "-a", `${layer}/.`, folder);
    for (const name of ["data", "proc", "dev", "srv/projects", "tmp"]) {
      await Deno.mkdir(`${folder}/${name}`, { recursive: true });
    }
    for (const name of ["data", "srv/projects"]) await Deno.chown(`${folder}/${name}`, USER, USER);
    for (const [name, from] of Object.entries(files)) {
      await Deno.copyFile(from, `${folder}/tmp/${name}`);
      await Deno.chmod(`${folder}/tmp/${name}`, 0o644);
    }
    const port = freePort();
    const inside =
      `chroot --userspec=${USER}:${USER} ${folder} /usr/bin/deno run -A --cached-only /berth/main.ts serve`;
    const child = new Deno.Command("unshare", {
      args: [
        ...["--mount", "--pid", "--fork", "sh", "-c"],
        `mount -t proc proc ${folder}/proc && mount --bind /dev ${folder}/dev && exec ${inside}`,
      ],
      clearEnv: true,
      env: {
        PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
        DENO_DIR: "/berth/.deno",
        DENO_NO_UPDATE_CHECK: "1",
        HOME: "/data",
        TMPDIR: "/data",
        BERTH_HOST: "127.0.0.1",
        BERTH_PORT: String(port),
        BERTH_DATA: "/data",
        BERTH_ROOTS: "/srv/projects",
        BERTH_ENGINES: "none",
        BERTH_MIN_DESCRIPTORS: "0",
        ...env,
      },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    let said = "";
    const reading = (async () => {
      for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) said += part;
    })();
    reading.catch(() => {}); // it has ended
    const token = await eventually("berth has started", () => /#setup=(\S+)/.exec(said)?.[1] ?? null);
    const url = `http://127.0.0.1:${port}`;
    const made = await new TestCaller(url, null).call("POST /api/settings/setup", { token, name: "me" });
    assert.equal(made.status, 201, made.text);
    return new ImageRoot(folder, new TestCaller(url, made.body.key), child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The first process of the namespace: since it became another user, it does not end with its parent
    const { pid } = this.child;
    const [first] = (await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`)).split(" ");
    Deno.kill(Number(first), "SIGKILL");
    await this.child.status;
    await Deno.remove(this.folder, { recursive: true });
  }
}

async function run(program: string, ...args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args: [...args] }).output();
  if (!success) throw new Error(`${program}: ${new TextDecoder().decode(stderr)}`);
}
