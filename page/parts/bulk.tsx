/** The acts on the projects that are chosen. */
import { useState } from "preact/hooks";
import { type Problem, problemOf } from "../live/problem.ts";
import { planHref, projectHref, readProject } from "../live/projects.ts";
import { may } from "../live/session.ts";
import { go } from "../router.ts";
import { shown } from "./shown.ts";
import { words } from "../words/en_later.ts";

const TEXT = words.project;

export interface BulkProps {
  /** Ids of projects, one at least. */
  readonly ids: readonly string[];
  /** Names of those among them that run as stacks of a swarm: these are only brought in line. */
  readonly stacks: readonly string[];
  readonly clear: () => void;
}

/** Names in a sentence. */
const MOST_NAMES = 2;

/** Acts on all rows that are chosen: each is a plan of its own, shown before anything is done. */
export function Bulk({ ids, stacks, clear }: BulkProps) {
  const hrefOf = (asked: Readonly<Record<string, string>>) => {
    const params = new URLSearchParams(asked);
    const [only] = ids;
    if (ids.length === 1 && only !== undefined) {
      return [planHref(only), params].join(params.size > 0 ? "?" : "");
    }
    for (const id of ids) params.append("p", id);
    return `/plan?${params}`;
  };
  return (
    <div class="bulk" role="toolbar" aria-label={words.containers.chosen(ids.length)}>
      <b>{words.containers.chosen(ids.length)}</b>
      <a class="button is-main" href={hrefOf({})}>{TEXT.bringAll(ids.length)}</a>
      {stacks.length === 0 && (
        <>
          <a class="button" href={hrefOf({ action: "update" })}>{words.projects.update}</a>
          <a class="button" href={hrefOf({ action: "restart" })}>{words.containers.restart}</a>
          <a class="button" href={hrefOf({ action: "stop" })}>{words.containers.stop}</a>
        </>
      )}
      {may("containers:logs") && <Logs ids={ids} />}
      {stacks.length > 0 && (
        <span class="hint" role="status">
          {words.swarm.notAsAWhole(shown(stacks.slice(0, MOST_NAMES).join(", ")), stacks.length - MOST_NAMES)}
        </span>
      )}
      <button type="button" class="link" onClick={clear}>{words.containers.clear}</button>
    </div>
  );
}

/** Containers whose logs are shown together, as many as one subscription takes. */
const MOST_LOGS = 64;

/** Goes to the logs of all containers of the projects. */
function Logs({ ids }: Pick<BulkProps, "ids">) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) {
    return <a class="button" href={`${projectHref(only)}?view=logs`}>{words.logs.word}</a>;
  }
  const open = async () => {
    const keys: string[] = [];
    try {
      for (const id of ids) {
        if (keys.length >= MOST_LOGS) break;
        const { containers, units } = await readProject(id, AbortSignal.timeout(10_000));
        // Of one that only runs there are no units.
        const all = [...units.flatMap((unit) => unit.containers), ...containers];
        keys.push(...all.map(({ backend, name }) => `${backend}/${name}`));
      }
      const shownOnes = [...new Set(keys)].slice(0, MOST_LOGS);
      go(`/logs?${new URLSearchParams(shownOnes.map((one) => ["c", one]))}`);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <>
      <button type="button" class="button" onClick={() => void open()}>{words.logs.word}</button>
      {problem !== null && <span role="alert">{shown(problem.title)}</span>}
    </>
  );
}
