/**
 * Asks the registry for known holes in the packages of the lock files: `deno task audit`. One that is high or worse fails.
 * In CI (the variable `CI`, which every CI sets), a registry that does not answer fails, too: "not asked" is not "no
 * hole". Elsewhere, and with `AUDIT_OFFLINE=1`, it is a warning.
 */
const LOCK_FILES = ["deno.lock", "tests/deno.lock", "page/deno.lock"];
/** A registry that does not answer by then is none that can be asked. */
const ANSWER_MS = 60_000;

/** Returns true if no hole is known; `mustAnswer` makes a registry that does not answer a failure. */
export async function audit(
  mustAnswer: boolean,
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
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
    if (success) continue;
    console.error(`${lock}: ${isFound ? "" : "NOT RUN, no registry could be asked: "}${text}`);
    if (isFound || mustAnswer) isSound = false;
  }
  return isSound;
}

if (import.meta.main) {
  const mustAnswer = Deno.env.has("CI") && Deno.env.get("AUDIT_OFFLINE") !== "1";
  Deno.exit(await audit(mustAnswer) ? 0 : 1);
}
