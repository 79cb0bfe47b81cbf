/** `berth swarm scale shop_web 3` and its like: shows what an act changes, asks, and does it. */
import { NODE_ACTIVATE, NODE_DRAIN, NODE_PAUSE, type NodeChange } from "../client/berth/nodes.ts";
import {
  SERVICE,
  SERVICE_RESTART,
  SERVICE_ROLLBACK,
  SERVICE_SCALE,
  type ServiceChange,
  type ServiceRemoval,
} from "../client/berth/services.ts";
import type { Client } from "../client/mod.ts";
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { isMeant } from "./confirmed.ts";
import { EXIT, UsageFailure } from "./exit_code.ts";
import { table, writeOut } from "./output.ts";

type Answered = ServiceChange | ServiceRemoval | NodeChange;
type Send = (dryRun: boolean) => Promise<Answered>;

export async function act(client: Client, line: Line): Promise<number> {
  const [verb = "", name, replicas] = line.args;
  const send = sendOf(client, verb, name, replicas);
  const isJson = line.option("--json") !== undefined;
  const planned = await send(true);
  if (!isJson) writeOut(textOf(verb, planned));
  if (line.option("--dry-run") !== undefined || isSame(planned)) {
    if (isJson) writeOut(`${JSON.stringify(planned, null, 2)}\n`);
    return EXIT.FINE;
  }
  if (!isMeant(`${verb} ${visible(planned.name)}?`, line)) return EXIT.NO;
  const done = await send(false);
  if (isJson) writeOut(`${JSON.stringify(done, null, 2)}\n`);
  else writeOut("The swarm has taken it\n");
  return EXIT.FINE;
}

function sendOf(client: Client, verb: string, id: string | undefined, replicas: string | undefined): Send {
  if (id === undefined) throw new UsageFailure(`Expected the name of a service or a node behind "${verb}"`);
  if ((verb === "scale") !== (replicas !== undefined)) {
    throw new UsageFailure(
      verb === "scale"
        ? 'Expected a number behind the name, as in "berth swarm scale shop_web 3"'
        : `"${replicas}" is one argument too many`,
    );
  }
  const rest = (dryRun: boolean) => ({ params: { id }, query: { dryRun } });
  switch (verb) {
    case "scale": {
      if (!/^\d{1,5}$/.test(replicas ?? "")) throw new UsageFailure(`"${replicas}" is no number of tasks`);
      const payload = { replicas: Number(replicas) };
      return async (dryRun) => (await client.post(SERVICE_SCALE, { ...rest(dryRun), payload })).json();
    }
    case "restart":
      return async (dryRun) => (await client.post(SERVICE_RESTART, rest(dryRun))).json();
    case "rollback":
      return async (dryRun) => (await client.post(SERVICE_ROLLBACK, rest(dryRun))).json();
    case "remove":
      return async (dryRun) => (await client.delete(SERVICE, rest(dryRun))).json();
    case "drain":
      return async (dryRun) => (await client.post(NODE_DRAIN, rest(dryRun))).json();
    case "pause":
      return async (dryRun) => (await client.post(NODE_PAUSE, rest(dryRun))).json();
    default:
      return async (dryRun) => (await client.post(NODE_ACTIVATE, rest(dryRun))).json();
  }
}

/** Returns true if the act would change nothing. */
const isSame = (planned: Answered): boolean =>
  "availability" in planned
    ? planned.availability === planned.from
    : "starts" in planned && planned.changes.length + planned.starts + planned.stops + planned.replaces === 0;

function textOf(verb: string, planned: Answered): string {
  const name = visible(planned.name);
  if (isSame(planned)) return `${name} is so already\n`;
  if ("availability" in planned) return nodeText(planned);
  if (!("starts" in planned)) return `${verb} ${name}: ${planned.stops} tasks stop for good\n`;
  const { starts, stops, replaces, changes, waits } = planned;
  const counts = [`${starts} tasks start`, `${stops} stop for good`, `${replaces} are replaced`];
  const shown = changes.map(({ field, from, to }) => [
    { text: visible(field) },
    { text: visible(from ?? "–") },
    { text: visible(to ?? "–") },
  ]);
  return `${verb} ${name}: ${counts.join(", ")}\n` +
    (shown.length === 0 ? "" : table(["FIELD", "NOW", "THEN"], shown)) +
    waits.map(({ task, reason }) => `${visible(task)} waits: ${visible(reason)}\n`).join("");
}

function nodeText({ name, from, availability, tasks, others }: NodeChange): string {
  const rows = tasks.map(({ task, outcome, reason }) => [
    { text: visible(task) },
    { text: outcome, ...(outcome === "moves" ? {} : { colour: "yellow" as const }) },
    { text: visible(reason ?? "–") },
  ]);
  return `${visible(name)}: ${from} becomes ${availability}\n` +
    (rows.length === 0 ? "" : table(["TASK", "OUTCOME", "REASON"], rows)) +
    (others === 0 ? "" : `${others} more tasks leave it\n`);
}
