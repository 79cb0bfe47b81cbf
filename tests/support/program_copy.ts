/** A copy of the program in a folder of its own, which a test may change. */
import { BerthProcess } from "./berth_process.ts";
import { eventually } from "./eventually.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const LEFT_OUT = ["tests", "bench", "docs", "dist", "node_modules"];

/** Disposing it removes the folder. */
export class ProgramCopy implements AsyncDisposable {
  private constructor(readonly folder: string) {}

  /** Copies all that a service is made of, and nothing else. */
  static async make(): Promise<ProgramCopy> {
    const folder = await Deno.makeTempDir({ prefix: "berth-program-" });
    const taken: string[] = [];
    for await (const { name, isDirectory } of Deno.readDir(ROOT)) {
      const isTaken = isDirectory
        ? !name.startsWith(".") && !LEFT_OUT.includes(name)
        : /\.ts$|^deno\./.test(name);
      if (isTaken) taken.push(ROOT + name);
    }
    const { success } = await new Deno.Command("cp", { args: ["-r", ...taken, folder] }).output();
    if (!success) throw new Error("The program could not be copied");
    return new ProgramCopy(folder);
  }

  /** Starts it as `deno task serve` does and waits until it listens. */
  async serve(engines: string): Promise<BerthProcess> {
    const { tasks } = JSON.parse(await Deno.readTextFile(`${this.folder}/deno.json`));
    // Variables may stand before the program.
    const words: readonly string[] = tasks.serve.command.split(" ");
    const at = words.indexOf("deno");
    const before = words.slice(0, at).map((word) => word.split("=", 2));
    const args = words.slice(at + 1);
    const data = `${this.folder}/data`;
    const child = new Deno.Command(Deno.execPath(), {
      args,
      cwd: this.folder,
      env: { ...Object.fromEntries(before), BERTH_DATA: data, BERTH_PORT: "0", BERTH_ENGINES: engines },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const berth = new BerthProcess(child, data, true);
    try {
      await eventually("the copy listens", () => berth.url);
      return berth;
    } catch (error) {
      await berth[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}
