/** A shell in namespaces of its own: whatever a test starts there dies with it, mounts and interfaces included. */
import { bounded } from "./bounded.ts";

/**
 * The shell is process 1 of its namespace: when its input closes it exits, and the kernel ends all the rest. All but
 * what is frozen, as the processes of a paused container are under the first version of cgroups: those are thawed.
 */
const SHELL = `
ip link set lo up
while IFS= read -r line; do eval "$line"; echo "$?"; done
kill -9 -1
for groups in /proc/[0-9]*/cgroup; do
  while IFS=: read -r _ kind path; do
    if [ "$kind" = freezer ]; then echo THAWED >"/sys/fs/cgroup/freezer$path/freezer.state"; fi
  done <"$groups"
done`;

export class Sandbox implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #answers: ReadableStreamDefaultReader<string>;
  #unread = "";
  #last: Promise<unknown> = Promise.resolve();

  /** Own network, mounts, processes and host name, the host's files. Needs root. */
  constructor(env: Record<string, string>) {
    this.#process = new Deno.Command("unshare", {
      args: [
        ..."--net --mount --uts --pid --fork --kill-child --mount-proc --propagation private bash -c".split(
          " ",
        ),
        SHELL,
      ],
      env,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#input = this.#process.stdin.getWriter();
    this.#answers = this.#process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** A process in its network, as the host counts. */
  get pid(): number {
    return this.#process.pid;
  }

  /** Runs one line of shell, after those before it, and answers with its exit status. */
  run(line: string): Promise<number> {
    const answer = this.#last.then(async () => {
      await this.#input.write(new TextEncoder().encode(`${line}\n`));
      return await this.#status();
    });
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #status(): Promise<number> {
    while (!this.#unread.includes("\n")) {
      const { value, done } = await this.#answers.read();
      if (done) throw new Error("The sandbox has ended");
      this.#unread += value;
    }
    const end = this.#unread.indexOf("\n");
    const status = Number(this.#unread.slice(0, end));
    this.#unread = this.#unread.slice(end + 1);
    return status;
  }

  /** Returns once every process of the sandbox is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {});
    await this.#answers.cancel().catch(() => {});
    await bounded("the end of a sandbox", this.#process.status);
  }
}

/** Quotes a word for the sandbox's shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
