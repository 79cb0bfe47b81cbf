/** Reasons for which newer images may be missing in an answer of berth. */
import type { Updates } from "../client/berth/updates.ts";
import { visible } from "../log/line.ts";
import { EXIT } from "./exit_code.ts";

/** Says each reason on standard error. Returns the exit code of that. */
export function tellMissing(answer: Updates): number {
  const missing = missingOf(answer);
  for (const sentence of missing) console.error(`berth: ${visible(sentence)}`);
  return missing.length > 0 ? EXIT.INCOMPLETE : EXIT.FINE;
}

function missingOf({ enabled, liveNeeds }: Updates): string[] {
  return [
    ...(enabled
      ? []
      : ["berth does not look for newer images: switch it on, on the page or by PUT /api/updates"]),
    ...(liveNeeds === undefined ? [] : [`the key may not see what runs: it needs ${liveNeeds}`]),
  ];
}
