/** The applies that wait for a person, of which some keep a service down. */
import { type Finding, wrong } from "../../core/finding.ts";
import { progressOf } from "../../projects/apply/journal.ts";
import { networksInHand } from "../../projects/apply/network_back.ts";
import { swapsInHand } from "../../projects/apply/settle.ts";
import { workOf } from "../../projects/apply/work.ts";
import type { Check, Setup } from "./check.ts";

export const APPLY_CHECKS: readonly Check[] = [{ name: "applies", look: lookAtApplies }];

export async function lookAtApplies(
  { store: { applies } }: { readonly store: Pick<Setup["store"], "applies"> },
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const { id, project, work, lines } of applies) {
    if (work === null) continue; // it is not paused
    const journal = {
      lines: (_: string, after: number, limit: number) =>
        Promise.resolve(lines.filter(({ seq }) => seq > after).slice(0, limit)),
    };
    const names = await swapsInHand({ id, work }, journal);
    const networks = networksInHand(workOf({ work }), await progressOf(journal, id));
    for (const [what, of] of [["a swap of", names], ["the replacement of the network", networks]] as const) {
      if (of.length === 0) continue;
      found.push(wrong(
        `The apply ${id} of "${project}" is paused in the middle of ${what} "${of.join('", "')}"`,
        "A service may be down: see that its engine answers, then resume or abandon the apply",
      ));
    }
  }
  return found;
}
