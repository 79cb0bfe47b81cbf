/** The one way from a caller's id or name to a container and its engine. */
import type { Reach } from "../../../core/access.ts";
import { ServiceError } from "../../../core/error.ts";
import { at, identifier } from "../../../engines/calls/path.ts";
import type { ContainerRow } from "../../../engines/rows/container.ts";
import type { Link } from "../../../engines/links/link.ts";
import type { Unavailable } from "../../../engines/links/unavailable.ts";
import { type Engines, linksInSight } from "./seen.ts";
import { type KnownTask, tasksNamed } from "../../../core/running_services.ts";
import { engineError } from "../../../engines/calls/errors.ts";

export interface FoundContainer {
  readonly link: Link;
  readonly row: ContainerRow;
}

/** The number of several matches that an error names. */
const NAMED_MATCHES = 4;

/**
 * Looks in the mirrors first, and asks the engines only when no mirror has a match. A full id comes before a name, and
 * a name before the beginning of an id. What is out of reach is not there; what is on an engine that hangs is refused at
 * once. `doing` follows "Cannot" in errors. Throws `container_not_found`, `node_not_connected` for
 * a task of a swarm, `ambiguous_id` where several containers match, or the reason why no engine could be asked.
 */
export async function findContainer(
  { backends, sights, services }: Engines,
  reach: Reach,
  wanted: string,
  backend: string | undefined,
  doing: string,
): Promise<FoundContainer> {
  const text = identifier(wanted);
  const sight = sights.of(reach);
  const sees = ({ row }: FoundContainer) => sight.sees(row);
  const { links, up, shown, unavailable } = await linksInSight(backends, backend, sight);
  if (links.length === 0 && reach.everywhere) {
    throw engineError("no_engine", `Cannot ${doing}: no engine is known`);
  }
  const known = shown.flatMap((link) => inMirror(link, text));
  let matches = known.filter(sees);
  if (known.length === 0 && services !== undefined) {
    matches = ofTasks(shown, tasksNamed(services(), reach, text), text, doing).filter(sees);
  }
  if (known.length === 0 && matches.length === 0) {
    const asked = await atEngines(up, text, doing);
    asked.forEach(sees);
    await sight.settle();
    matches = asked.filter(sees);
  }
  const [best, other] = closest(matches, text);
  if (best === undefined) throw missing(unavailable[0], up.length, text, doing);
  if (other !== undefined) throw ambiguous(closest(matches, text), doing);
  best.link.engine.mustAnswer(doing);
  const { containers } = best.link.mirror;
  await containers.look(best.row.id);
  return { link: best.link, row: containers.rows.get(best.row.id) ?? best.row };
}

/**
 * Returns the containers of tasks of swarms. Throws `node_not_connected` where only nodes have them whose engines berth
 * does not know, and `conflict` for a task without a container.
 */
function ofTasks(
  links: readonly Link[],
  tasks: readonly KnownTask[],
  text: string,
  doing: string,
): FoundContainer[] {
  const [first] = tasks;
  const meant = tasks.filter(({ task }) => task.id === text || task.desired === first?.task.desired);
  const found = meant.flatMap(({ task: { container } }) => {
    const link = links.find(({ name }) => name === container?.backend);
    const row = link?.mirror.containers.rows.get(container?.id ?? "");
    return link === undefined || row === undefined ? [] : [{ link, row }];
  });
  if (first === undefined || found.length > 0) return found;
  const { name, node, container, reason } = first.task;
  if (container?.backend === null && node !== null) {
    const engine = node.name.replaceAll(/[^\w.-]/g, "-");
    throw engineError(
      "node_not_connected",
      `Cannot ${doing}: ${name} runs on ${node.name}: add its engine, for example "${engine}=ssh://${engine}"`,
    );
  }
  if (container !== null) return [];
  throw engineError(
    "conflict",
    `Cannot ${doing}: ${name} has no container${reason === null ? "" : `: ${reason}`}`,
  );
}

function inMirror(link: Link, text: string): FoundContainer[] {
  const { rows } = link.mirror.containers;
  const byId = rows.get(text);
  if (byId !== undefined) return [{ link, row: byId }];
  const matches: FoundContainer[] = [];
  for (const row of rows.values()) {
    if (row.name === text || row.id.startsWith(text)) matches.push({ link, row });
  }
  return matches;
}

/** For a container whose event has not come yet. An engine that has it counts more than one that fails. */
async function atEngines(links: readonly Link[], text: string, doing: string): Promise<FoundContainer[]> {
  const answers = await Promise.allSettled(links.map((link) => atEngine(link, text, doing)));
  const matches = answers.flatMap((answer) =>
    answer.status === "fulfilled" && answer.value !== null ? [answer.value] : []
  );
  const failed = answers.find((answer) => answer.status === "rejected");
  if (matches.length === 0 && failed !== undefined) throw failed.reason;
  return matches;
}

async function atEngine(link: Link, text: string, doing: string): Promise<FoundContainer | null> {
  try {
    const inspected = await link.engine.get(at`/containers/${text}/json`, {
      doing,
      missing: "container_not_found",
    });
    const row = link.mirror.containers.rowOf(inspected);
    if (row === null) return null;
    link.mirror.containers.touch(row.id);
    return { link, row };
  } catch (error) {
    if (error instanceof ServiceError && error.code === "container_not_found") return null;
    throw error;
  }
}

/** Returns the matches with this id, else those of this name, else all. */
function closest(matches: readonly FoundContainer[], text: string): readonly FoundContainer[] {
  const byId = matches.filter(({ row }) => row.id === text);
  if (byId.length > 0) return byId;
  const byName = matches.filter(({ row }) => row.name === text);
  return byName.length > 0 ? byName : matches;
}

function ambiguous(matches: readonly FoundContainer[], doing: string): ServiceError {
  const named = matches.slice(0, NAMED_MATCHES)
    .map(({ link, row }) => `"${row.name}" (${row.id.slice(0, 12)}) on engine "${link.name}"`);
  const rest = matches.length - named.length;
  if (rest > 0) named.push(`${rest} more`);
  return engineError(
    "ambiguous_id",
    `Cannot ${doing}: ${matches.length} containers match, ${named.join(", ")}; ` +
      'choose one by its id, or an engine with "backend"',
  );
}

function missing(
  away: Unavailable | undefined,
  up: number,
  text: string,
  doing: string,
): ServiceError {
  if (up === 0 && away !== undefined) {
    return engineError(
      "runtime_unavailable",
      `Cannot ${doing}: engine "${away.backend}" is not up, ${away.reason}`,
    );
  }
  const aside = away === undefined ? "" : `, and engine "${away.backend}" is not up`;
  return engineError("container_not_found", `Cannot ${doing}: there is no container "${text}"${aside}`);
}
