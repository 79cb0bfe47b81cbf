/**
 * Holds the subjects of commits: one change, at most 72 characters. Fails for commits that the upstream branch does not
 * have yet; `--count` counts those since the rule was made, which nobody can mend any more.
 */
const MOST_CHARACTERS = 72;
const SELF = ".ci/subjects.ts";

/** Returns why a subject is refused, or null. */
export function refusalOf(subject: string): string | null {
  const { length } = [...subject];
  if (length > MOST_CHARACTERS) return `${length} characters, at most ${MOST_CHARACTERS}`;
  return subject.includes(";") ? 'a ";" makes a list: one change a commit' : null;
}

/** Returns git's output; null where git, the history or the name is missing. */
async function git(...args: readonly string[]): Promise<string | null> {
  try {
    const { success, stdout } = await new Deno.Command("git", { args: [...args], stderr: "null" }).output();
    return success ? new TextDecoder().decode(stdout).trim() : null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Returns the refused commits of a range, a line each; null without such a range. */
async function refusedIn(range: string): Promise<readonly string[] | null> {
  const log = await git("log", "--no-merges", "--format=%h %s", range);
  return log?.split("\n").filter((line) => line !== "").flatMap((line) => {
    const at = line.indexOf(" ");
    const why = refusalOf(line.slice(at + 1));
    return why === null ? [] : [`${line}\n  ${why}`];
  }) ?? null;
}

if (import.meta.main) {
  const isCount = Deno.args.includes("--count");
  const from = isCount
    ? await git("log", "--diff-filter=A", "--format=%H", "-1", "--", SELF)
    : await git("rev-parse", "@{upstream}");
  const refused = from ? await refusedIn(`${from}..HEAD`) : null;
  if (refused === null) {
    console.warn("subjects of commits: not checked, git or an upstream branch is missing");
  } else if (refused.length > 0) {
    console.error(`subjects of commits: ${refused.length} refused\n${refused.join("\n")}`);
  }
  if (!isCount && refused !== null && refused.length > 0) Deno.exit(1);
}
