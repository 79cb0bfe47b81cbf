/** The applies that wait for a person, of which some keep a service down. */
import { type Finding, wrong } from "../../core/finding.ts";
import { swapsInHand } from "../../projects/apply/settle.ts";
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
    if (names.length === 0) continue;
    found.push(wrong(
      `The apply ${id} of "${project}" is paused in the middle of a swap of "${names.join('", "')}"`,
      "A service may be down: see that its engine answers, then resume or abandon the apply",
    ));
  }
  return found;
}
