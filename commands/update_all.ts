/** `berth updates --apply`: updates every project that has a newer image, one after the other. */
import { type UpdateItem, UPDATES } from "../client/berth/updates.ts";
import type { Client } from "../client/mod.ts";
import { visible } from "../log/line.ts";
import { agreedPlan, carryOut } from "./apply.ts";
import type { Line } from "./command.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT, worstOf } from "./exit_code.ts";
import { tellMissing } from "./missing_updates.ts";
import { writeError } from "./output.ts";

/** The end of one project. `stops` is true where the others are left alone because of it. */
interface Ended {
  readonly code: number;
  readonly stops: boolean;
}

/** Returns the exit code. */
export async function updateAll(line: Line): Promise<number> {
  const [project] = line.args;
  const codes: number[] = [];
  try {
    using client = await openClient();
    const answer = (await client.get(UPDATES, { query: project === undefined ? {} : { project } })).json();
    codes.push(tellMissing(answer));
    const ids = readyProjects(answer.items);
    if (ids.length === 0) writeError("berth: there is no newer image to apply\n");
    for (const [at, id] of ids.entries()) {
      const { code, stops } = await updateOne(client, id, line);
      codes.push(code);
      if (!stops) continue;
      const left = ids.slice(at + 1);
      if (left.length > 0) writeError(`berth: not updated because of that: ${visible(left.join(", "))}\n`);
      break;
    }
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return EXIT.NO; // the reader closed the pipe; the apply goes on
    codes.push(failCall(error));
  }
  return worstOf(codes);
}

/**
 * Returns the projects with a newer image that neither cools down nor went back before. A newer version is a change of a
 * file, and services of a swarm are not updated by berth.
 */
const readyProjects = (items: readonly UpdateItem[]): string[] => [
  ...new Set(
    items.filter(({ services, candidates }) =>
      services === 0 &&
      candidates.some(({ kind, coolsUntil, failed }) =>
        kind === "digest" && coolsUntil === null && failed === null
      )
    ).map(({ project }) => project),
  ),
];

/** A plan that is blocked, refused or not agreed to changes nothing, so the others still have their turn. */
async function updateOne(client: Client, id: string, line: Line): Promise<Ended> {
  try {
    // Planned in its turn: the project before it may have pulled an image that both use.
    const plan = await agreedPlan(client, { id, isShort: false }, line, { action: "update" });
    if (typeof plan === "number") return { code: plan, stops: false };
    const code = await carryOut(client, plan, line);
    return { code, stops: code !== EXIT.FINE };
  } catch (error) {
    const code = failCall(error);
    return { code, stops: code !== EXIT.NO };
  }
}
