/** The files of an earlier commit, so that a bench can hold today's against them. */

/** The last commit before the folders were reorganised. */
export const BEFORE = "015db1d";
/** The last commit before the engines had a folder of their own, and the one at which that was finished. */
export const HOUSE = { before: "b7fd6db1", after: "601db64e" };
const root = new URL("../", import.meta.url).pathname;

/** Writes them into the folder; answers a sentence where this checkout has no such commit. */
export async function filesOf(commit: string, folder: string): Promise<string | undefined> {
  const { success } = await new Deno.Command("sh", {
    args: ["-c", `git archive "$1" | tar -x -C "$2"; test -e "$2/deno.json"`, "sh", commit, folder],
    cwd: root,
    stderr: "null",
  }).output();
  return success ? undefined : `this checkout has no commit ${commit}`;
}
