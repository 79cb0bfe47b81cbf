/** `berth incidents`: what was not as it should be, since when, and because of what, one line each, or JSON. */
import { type Incident, INCIDENTS } from "../client/berth/incidents.ts";
import { causeText, endText, stateText, subjectText } from "../projects/watch/incident_text.ts";
import type { Client } from "../client/mod.ts";
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT } from "./exit_code.ts";
import { type Cell, table, writeOut } from "./output.ts";

/** Incidents that are listed at most. */
const MOST = 500;

export async function run(line: Line): Promise<number> {
  const isOpen = line.option("--open") !== undefined;
  try {
    using client = await openClient();
    const query = { limit: MOST, ...(isOpen && { state: "open" as const }) };
    const { items, next } = await (await client.get(INCIDENTS, { query })).json();
    if (line.option("--json") !== undefined) writeOut(`${JSON.stringify(items, null, 2)}\n`);
    else writeOut(items.length === 0 ? "No incidents\n" : table(TITLES, items.map(cellsOf)));
    if (next !== null) console.error(`berth: there are more than ${MOST}: only the newest are listed`);
    return items.some(isOpenNow) || (next !== null && await isAnyOpen(client)) ? EXIT.TO_DO : EXIT.FINE;
  } catch (error) {
    return failCall(error);
  }
}

const isOpenNow = ({ closedAt }: Incident): boolean => closedAt === null;

/** Returns true if one is open, however old: it may be beyond those that are listed. */
async function isAnyOpen(client: Client): Promise<boolean> {
  const { items } = (await client.get(INCIDENTS, { query: { state: "open", limit: 1 } })).json();
  return items.length > 0;
}

const TITLES = ["SINCE", "UNTIL", "SUBJECT", "STATE", "CAUSE"];

function cellsOf(incident: Incident): Cell[] {
  const { since, atLatest, closedAt, end, kind, fields, cause, endings, subject } = incident;
  const ending = endText({ end, subject: { kind: subject } });
  const times = endings > 1 ? `, ${endings} endings` : "";
  return [
    { text: `${atLatest ? "≤ " : ""}${since.slice(0, 19)}Z` },
    closedAt === null
      ? { text: "open", colour: "yellow" }
      : { text: `${closedAt.slice(0, 19)}Z${end === null || end === "well" ? "" : `, ${ending}`}` },
    { text: visible(subjectText({ ...incident, kind: subject })) },
    { text: visible(stateText(kind, fields)), ...(closedAt === null && { colour: "red" as const }) },
    { text: visible(`${causeText(cause)}${times}`) },
  ];
}
