/** Runs another program for a tool, with its words where a person can read them. */

/** Returns the program's standard output. @throws Error with its own last words when it fails. */
export async function run(
  program: string,
  args: readonly string[],
  cwd?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    stdin: "null",
    env,
    ...(cwd === undefined ? {} : { cwd }),
  }).output().catch((cause) => {
    throw new Error(`Cannot run ${program}: is it installed?`, { cause });
  });
  const text = new TextDecoder();
  if (!success) {
    const words = text.decode(stderr).trim().split("\n").slice(-8).join("\n");
    throw new Error(`${program} ${args.slice(0, 3).join(" ")} failed:\n${words}`);
  }
  return text.decode(stdout);
}
