/** `berth updates shop --automatic on`: whether berth updates a project by itself, and when. */
import { PROJECT_UPDATES } from "../client/berth/projects.ts";
import { UPDATES } from "../client/berth/updates.ts";
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT, UsageFailure } from "./exit_code.ts";

/** Returns the exit code. */
export async function setAutomatic(line: Line, automatic: boolean): Promise<number> {
  const [id] = line.args;
  try {
    if (id === undefined) throw new UsageFailure('Cannot switch: of which project? "--automatic" needs one');
    const window = automatic ? windowOf(line.option("--window")) : null;
    using client = await openClient();
    const { projects } = (await client.get(UPDATES)).json();
    const known = projects.find(({ project }) => project === id || nameIn(project) === id);
    const payload = { automatic, window, coolDownDays: known?.coolDownDays ?? null };
    await client.put(PROJECT_UPDATES, { params: { id }, payload });
    console.log(
      `${visible(id)} is ${automatic ? "updated by itself from now on" : "not updated by itself any more"}`,
    );
    return EXIT.FINE;
  } catch (error) {
    return failCall(error);
  }
}

const nameIn = (project: string): string => project.slice(0, project.lastIndexOf("@"));

function windowOf(text: string | undefined) {
  if (text === undefined) return null;
  const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(text) ?? [];
  if (from === undefined || to === undefined) {
    throw new UsageFailure(`"${text}" is no window: expected one like 02:00-05:00`);
  }
  return { from, to, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone };
}
