/**
 * Asks the registry for known holes in what the lock files name: `deno task audit`. One that is high or worse fails; where
 * no registry can be asked, that is said and fails nothing, since it says nothing of the commit.
 */
const LOCK_FILES = ["deno.lock", "tests/deno.lock", "page/deno.lock"];
/** A registry that does not answer by then is none that can be asked. */
const ANSWER_MS = 60_000;

/** Whether none is known. */
export async function audit(env: Readonly<Record<string, string>> = {}): Promise<boolean> {
  let isSound = true;
  for (const lock of LOCK_FILES) {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["audit", "--level=high", `--lock=${lock}`],
      env: { NO_COLOR: "1", ...env },
      stdout: "piped",
      stderr: "piped",
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const { success, stdout, stderr } = await child.output();
    const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    const isFound = /^Found \d+ vulnerabilit/m.test(text);
    if (!success) console.error(`${lock}: ${isFound ? "" : "NOT RUN, no registry could be asked: "}${text}`);
    if (isFound && !success) isSound = false;
  }
  return isSound;
}

if (import.meta.main) Deno.exit(await audit() ? 0 : 1);
