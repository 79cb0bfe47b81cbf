/** `berth plan`: what would be done about projects, for a terminal, a program, or a comment on a pull request. */
import type { Plan, PlanRequest } from "../client/berth/models.ts";
import { PROJECT_PLAN } from "../client/berth/projects.ts";
import { WORKSPACE_PLANS } from "../client/berth/workspaces.ts";
import { type Client, isStatusError } from "../client/mod.ts";
import { StartFailure } from "../app/start_failure.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT } from "./exit_code.ts";
import { writeOut } from "./output.ts";
import { planRequestOf } from "./plan_options.ts";
import { markdownOf, textOf } from "./plan_text.ts";
import type { Line } from "./command.ts";
import { meantBy, type Target, tellOfFolder } from "./target.ts";

const FORMATS = {
  text: textOf,
  markdown: markdownOf,
  json: (plans: readonly Plan[]) => `${JSON.stringify({ plans }, null, 2)}\n`,
} as const;

export async function run(line: Line): Promise<number> {
  let plans: readonly Plan[];
  try {
    using client = await openClient();
    const [word] = line.args as [string]; // the table of commands demands it
    const meant = await meantBy(client, word, line.option("--group"));
    if ("folder" in meant) {
      plans = await plansOf(client, meant.folder, planRequestOf(line));
      tellOfFolder(word, meant.folder, plans.map(({ group }) => group));
    } else plans = [await planOf(client, meant, planRequestOf(line))];
  } catch (error) {
    return failCall(error);
  }
  // The table of commands lists the same formats.
  writeOut(FORMATS[(line.option("--format") ?? "text") as keyof typeof FORMATS](plans));
  if (plans.some(({ blocked }) => blocked.length > 0)) return EXIT.NO;
  return plans.some(({ steps }) => steps.length > 0) ? EXIT.TO_DO : EXIT.FINE;
}

/** Asks for the plans of a folder at once; for those of a very large one again, from where the answer ends. */
async function plansOf(client: Client, id: string, payload: PlanRequest): Promise<Plan[]> {
  const plans: Plan[] = [];
  let after: string | undefined;
  do {
    const query = after === undefined ? {} : { after };
    const page = (await client.post(WORKSPACE_PLANS, { params: { id }, query, payload })).json();
    plans.push(...page.plans);
    after = page.next;
  } while (after !== undefined);
  return plans;
}

/** Asks for the plan of a project. A service that its target names is planned beside those of `--unit`. */
export async function planOf(client: Client, { id, service }: Target, asked: PlanRequest): Promise<Plan> {
  const payload = service === undefined ? asked : { ...asked, units: [...asked.units ?? [], service] };
  try {
    return (await client.post(PROJECT_PLAN, { params: { id }, payload })).json();
  } catch (error) {
    if (!isStatusError(error) || error.response.statusCode !== 404 || /@/.test(id)) throw error;
    throw new StartFailure(`berth has no project and no folder "${id}": "berth status" lists the projects`);
  }
}
