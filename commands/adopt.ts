/** `berth adopt`: containers that run become a project of a folder that berth knows, and no container changes. */
import { type AcceptedAdoption, ADOPTIONS_DRAFT_ACCEPT } from "../client/berth/adoptions.ts";
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { isMeant } from "./confirmed.ts";
import { failCall, openClient } from "./connection.ts";
import { drafted, type DraftedProject, report, textOf } from "./drafting.ts";
import { EXIT } from "./exit_code.ts";
import { writeOut } from "./output.ts";

/** The projects of one call. A call with more could take longer than the client waits for an answer. */
const AT_ONCE = 50;

export async function run(line: Line): Promise<number> {
  try {
    using client = await openClient();
    const { workspace, draft: { id, projects } } = await drafted(client, line, false);
    const into = line.option("--into");
    const isJson = line.option("--json") !== undefined;
    if (!isJson) writeOut(projects.map(textOf).join(""));
    projects.forEach(report);
    if (projects.some(({ blocked }) => blocked.length > 0)) return EXIT.TO_DO;
    const folderOf = ({ folder, name }: DraftedProject) =>
      into === undefined ? folder : projects.length === 1 ? into : `${into}/${name}`;
    const where = `${workspace}/${projects.map(folderOf).join(", ")}`;
    if (!isMeant(questionOf(projects, where), line)) return EXIT.NO;
    const wishes = projects.map((one) => ({
      name: one.name,
      folder: folderOf(one),
      containers: one.services.map(({ id }) => ({ backend: one.backend, id })),
    }));
    const answers: AcceptedAdoption[] = [];
    for (let at = 0; at < wishes.length; at += AT_ONCE) {
      const payload = { projects: wishes.slice(at, at + AT_ONCE) };
      const answer = (await client.post(ADOPTIONS_DRAFT_ACCEPT, { params: { id }, payload })).json();
      if (!isJson) tell(answer, workspace);
      answers.push(answer);
    }
    const failed = answers.flatMap((one) => one.failed);
    const warnings = [...new Set(answers.flatMap((one) => one.warnings))];
    if (isJson) {
      const saved = { projects: answers.flatMap((one) => one.projects), failed, warnings };
      writeOut(`${JSON.stringify(saved, null, 2)}\n`);
    }
    for (const { name, why } of failed) console.error(`berth: ${visible(`${name}: ${why}`)}`);
    for (const warning of warnings) console.error(`berth: ${visible(warning)}`);
    const isWhole = projects.every(({ differences }) => differences.length === 0) && failed.length === 0;
    return isWhole ? EXIT.FINE : EXIT.TO_DO;
  } catch (error) {
    return failCall(error);
  }
}

function tell({ projects }: AcceptedAdoption, workspace: string): void {
  for (const { group, files, containers } of projects) {
    writeOut(`${visible(`${group}@${workspace}`)} has ${visible(containers.join(", "))} now\n`);
    for (const path of files) writeOut(`  ${visible(path)}\n`);
  }
}

function questionOf(projects: readonly DraftedProject[], where: string): string {
  const count = projects.reduce((sum, { services }) => sum + services.length, 0);
  return `Save the files in ${visible(where)} and adopt ${count} container${count === 1 ? "" : "s"}?`;
}
