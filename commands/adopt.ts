/** `berth adopt`: containers that run become a project of a folder that berth knows, and no container changes. */
import {
  type AcceptedAdoption,
  type AcceptRequest,
  ADOPTIONS_DRAFT_ACCEPT,
} from "../client/berth/adoptions.ts";
import type { Client } from "../client/mod.ts";
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { isMeant } from "./confirmed.ts";
import { exitOf, failCall, openClient, sentenceOf } from "./connection.ts";
import { DRAFT_TIMEOUT_S, drafted, type DraftedProject, report, textOf } from "./drafting.ts";
import { EXIT } from "./exit_code.ts";
import { writeOut } from "./output.ts";

/** The outcome of all calls. */
interface Saving {
  readonly saved: AcceptedAdoption;
  /** The reason that a call failed; the ones after it were not made. */
  readonly error: unknown;
}

/** The projects of one call, so that its answer comes in time. */
const AT_ONCE = 25;

export async function run(line: Line): Promise<number> {
  try {
    using client = await openClient(DRAFT_TIMEOUT_S);
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
    const { saved, error } = await save(client, { id, wishes }, (one) => {
      if (!isJson) tell(one, workspace);
    });
    if (isJson) writeOut(`${JSON.stringify(saved, null, 2)}\n`);
    for (const [why, names] of reasonsOf(saved.failed)) {
      console.error(`berth: ${visible(`Not saved: ${names.join(", ")}: ${why}`)}`);
    }
    for (const warning of saved.warnings) console.error(`berth: ${visible(warning)}`);
    if (error !== null) return exitOf(error);
    const isWhole = projects.every(({ differences }) => differences.length === 0) &&
      saved.failed.length === 0;
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

/**
 * Saves the projects, call by call. What was saved before a call failed is saved: the projects of that call and of the
 * later ones are told with the reason.
 */
async function save(
  client: Client,
  { id, wishes }: { readonly id: string; readonly wishes: AcceptRequest["projects"] },
  told: (answer: AcceptedAdoption) => void,
): Promise<Saving> {
  const answers: AcceptedAdoption[] = [];
  let error: unknown = null;
  let why = "";
  let at = 0;
  try {
    for (; at < wishes.length; at += AT_ONCE) {
      const payload = { projects: wishes.slice(at, at + AT_ONCE) };
      const answer = (await client.post(ADOPTIONS_DRAFT_ACCEPT, { params: { id }, payload })).json();
      told(answer);
      answers.push(answer);
    }
  } catch (reason) {
    const isAnswered = exitOf(reason) !== EXIT.INCOMPLETE;
    if (at === 0 && isAnswered) throw reason; // nothing is to be told but the reason
    error = reason;
    why = isAnswered ? sentenceOf(reason) : `${sentenceOf(reason)}, and it is not known if they were saved`;
  }
  const unsaved = wishes.slice(at).map(({ name }, n) => ({
    name,
    why: n < AT_ONCE ? why : "not tried, after an earlier one failed",
  }));
  const saved = {
    projects: answers.flatMap((one) => one.projects),
    failed: [...answers.flatMap((one) => one.failed), ...unsaved],
    warnings: [...new Set(answers.flatMap((one) => one.warnings))],
  };
  return { saved, error };
}

/** The names of the projects that have the same reason. */
function reasonsOf(failed: AcceptedAdoption["failed"]): Map<string, string[]> {
  const reasons = Map.groupBy(failed, ({ why }) => why);
  return new Map([...reasons].map(([why, all]) => [why, all.map(({ name }) => name)]));
}

function questionOf(projects: readonly DraftedProject[], where: string): string {
  const count = projects.reduce((sum, { services }) => sum + services.length, 0);
  return `Save the files in ${visible(where)} and adopt ${count} container${count === 1 ? "" : "s"}?`;
}
