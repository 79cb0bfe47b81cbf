/** `berth plan`: what would be done about a workspace, for a terminal, a program, or a comment on a pull request. */
import type { Plan } from "../client/berth/models.ts";
import { WORKSPACE_ARTIFACTS_GROUP_PLAN } from "../client/berth/workspaces.ts";
import { openClient, tellCall } from "./connection.ts";
import { writeOut } from "./output.ts";
import { planRequestOf } from "./plan_options.ts";
import { markdownOf, textOf } from "./plan_text.ts";
import type { Line } from "./command.ts";
import { groupsOf, workspaceAt } from "./workspace_at.ts";

const FORMATS = {
  text: textOf,
  markdown: markdownOf,
  json: (plans: readonly Plan[]) => `${JSON.stringify({ plans }, null, 2)}\n`,
} as const;

/** Answers 0 where nothing is to be done, 2 where something is, and 1 where that cannot be told or done. */
export async function run(line: Line): Promise<number> {
  let plans: Plan[];
  const payload = planRequestOf(line);
  try {
    using client = await openClient();
    const id = await workspaceAt(client, line.args[0]!);
    const only = line.option("--group");
    const groups = only === undefined ? await groupsOf(client, id) : [only];
    plans = [];
    for (const name of groups) {
      const params = { id, name };
      plans.push((await client.post(WORKSPACE_ARTIFACTS_GROUP_PLAN, { params, payload })).json());
    }
  } catch (error) {
    tellCall(error);
    return 1;
  }
  // The table of commands lists the same formats.
  writeOut(FORMATS[(line.option("--format") ?? "text") as keyof typeof FORMATS](plans));
  if (plans.some(({ blocked }) => blocked.length > 0)) return 1;
  return plans.some(({ steps }) => steps.length > 0) ? 2 : 0;
}
