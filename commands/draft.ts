/** `berth draft`: containers that run, written down as files of a Compose project. */
import type { AdoptionDraft } from "../client/berth/workspaces.ts";
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { failCall, openClient } from "./connection.ts";
import { DRAFT_TIMEOUT_S, drafted, type DraftedProject, report, textOf } from "./drafting.ts";
import { EXIT, UsageFailure } from "./exit_code.ts";
import { tell } from "./failure.ts";
import { writeOut } from "./output.ts";

export async function run(line: Line): Promise<number> {
  const into = line.option("--into");
  let draft: AdoptionDraft;
  try {
    using client = await openClient(DRAFT_TIMEOUT_S);
    draft = (await drafted(client, line, into !== undefined)).draft;
  } catch (error) {
    return failCall(error);
  }
  if (line.option("--json") !== undefined) writeOut(`${JSON.stringify(draft, null, 2)}\n`);
  else if (into === undefined) writeOut(draft.projects.map(textOf).join(""));
  draft.projects.forEach(report);
  if (into !== undefined) {
    try {
      await write(into, draft.projects);
    } catch (error) {
      return tell(error);
    }
  }
  const isWhole = draft.projects.every(({ differences, refused, blocked }) =>
    differences.length + refused.length + blocked.length === 0
  );
  return isWhole ? EXIT.FINE : EXIT.TO_DO;
}

/** Writes new files alone, `.env` first and for its owner. Throws `UsageFailure` before the first if one is there. */
async function write(into: string, projects: readonly DraftedProject[]): Promise<void> {
  const folderOf = ({ name }: DraftedProject) => projects.length === 1 ? into : `${into}/${name}`;
  const all = projects.flatMap((project) =>
    project.files.map(({ path, text }) => ({ folder: folderOf(project), path, text }))
  );
  for (const { folder, path } of all) {
    const isThere = await Deno.lstat(`${folder}/${path}`).then(() => true, () => false);
    if (isThere) throw new UsageFailure(`"${folder}/${path}" is there already: choose another folder`);
  }
  for (const { folder, path, text } of all) {
    await Deno.mkdir(folder, { recursive: true });
    const mode = path === ".env" ? 0o600 : 0o644;
    await Deno.writeTextFile(`${folder}/${path}`, text, { createNew: true, mode });
    console.error(`berth: ${visible(`wrote ${folder}/${path}`)}`);
  }
}
