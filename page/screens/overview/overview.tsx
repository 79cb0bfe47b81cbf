/** The first screen: is what runs what I wrote? One line for each project, the worst first. */
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { link, serviceTime } from "../../live/live.ts";
import { type ProjectList, type Row, useProjects } from "../../live/projects.ts";
import { may, mayEverywhere, who } from "../../live/session.ts";
import { Ago } from "../../parts/ago.tsx";
import { LaterBulk, LaterLately, LaterNoProjects, LaterUndeclared, WhenSeen } from "../../parts/later.tsx";
import { Lacking } from "../../parts/lacking.tsx";
import { useSteady } from "../../parts/steady.ts";
import { Mark } from "../../parts/sign.tsx";
import { Empty, Trouble, Unread } from "../../parts/states.tsx";
import { go, query, withQuery } from "../../router.ts";
import { VERDICTS } from "../../verdict.ts";
import { words } from "../../words/en.ts";
import { ProjectRow } from "./project_row.tsx";

const TEXT = words.projects;

export function Overview() {
  const mayRead = may("artifacts:read");
  const read = useProjects();
  const state = read.value.value;
  const problem = read.problem.value;
  const at = read.at.value;
  if (!mayRead && who.value) {
    return (
      <Empty title={TEXT.noRight} whole>
        {may("containers:read") && <a class="button" href="/c">{words.containers.toList}</a>}
      </Empty>
    );
  }
  if (state === undefined) return <Unread problem={problem} again={read.reload} />;
  return (
    <>
      {problem !== null && <Trouble problem={problem} since={at} again={read.reload} />}
      {isFirst(state) ? <First state={state} /> : <Answer state={state} at={at} />}
    </>
  );
}

/** True while no file declares anything, for users who can change that, or where nothing runs either. */
function isFirst({ items, loose }: ProjectList): boolean {
  const nothingRuns = items.length === 0 && loose.length === 0;
  return nothingRuns ||
    (mayEverywhere("workspaces:write") && items.every(({ workspace }) => workspace === null));
}

/** The next step, above what runs undeclared. */
function First({ state }: { readonly state: ProjectList }) {
  return (
    <>
      <LaterNoProjects state={state} />
      <LaterUndeclared rows={state.items} loose={state.loose} />
    </>
  );
}

function Answer(
  { state, at }: { readonly state: ProjectList; readonly at: number },
) {
  const asked = query.value.get("verdict");
  const wanted = (query.value.get("q") ?? "").toLowerCase();
  const onlyNewer = query.value.has("newer");
  const rows = state.items.filter((row) =>
    holds(row, wanted) && (asked === null || row.verdict === asked) && (!onlyNewer || row.newer > 0)
  );
  const found = rows.filter(({ workspace }) => workspace !== null);
  const { rows: declared, held } = useSteady(ordered(found), ({ id }) => id);
  const undeclared = rows.filter(({ workspace }) => workspace === null);
  const loose = (asked === null || asked === "undeclared") && wanted === "" ? state.loose : [];
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // The ones that can be seen: projects that are gone, or hidden by a filter, are not acted on.
  const marked = declared.filter(({ id }) => chosen.has(id));
  const lineOf = useLines((id) =>
    setChosen((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    })
  );
  return (
    <>
      <Question state={state} at={at} />
      <Lacking engines={state.engines} />
      {state.liveNeeds !== undefined && <p class="hint">{words.lacks(state.liveNeeds)}</p>}
      {declared.length > 0 && (
        <Head
          isAllChosen={declared.every(({ id }) => chosen.has(id))}
          chooseAll={(all) => setChosen(new Set(all ? declared.map(({ id }) => id) : []))}
        />
      )}
      <ul class="projects" aria-label={words.overview.question} {...held}>
        {declared.map((row) => lineOf(row, chosen.has(row.id)))}
      </ul>
      {rows.length === 0 && (asked !== null || wanted !== "" || onlyNewer) && (
        <Empty title={TEXT.noMatch}>
          <a class="button" href={withQuery({ q: null, verdict: null, newer: null })}>{TEXT.showAll}</a>
        </Empty>
      )}
      {(undeclared.length > 0 || loose.some(({ total, ignored }) => total > 0 || ignored.length > 0)) && (
        <LaterUndeclared rows={undeclared} loose={loose} />
      )}
      <WhenSeen>
        <LaterLately />
      </WhenSeen>
      {marked.length > 0 && (
        <LaterBulk
          ids={marked.map(({ id }) => id)}
          stacks={marked.filter(({ swarm }) => swarm !== null).map(({ name }) => name)}
          clear={() => setChosen(new Set())}
        />
      )}
    </>
  );
}

/** Draws a row once for as long as it is the same: of a thousand, a change redraws its own alone. */
function useLines(choose: (id: string) => void) {
  const drawn = useMemo(() => new WeakMap<Row, { readonly isChosen: boolean; readonly line: VNode }>(), []);
  return (row: Row, isChosen: boolean): VNode => {
    const known = drawn.get(row);
    if (known?.isChosen === isChosen) return known.line;
    const line = <ProjectRow row={row} key={row.id} isChosen={isChosen} choose={() => choose(row.id)} />;
    drawn.set(row, { isChosen, line });
    return line;
  };
}

/** True if the row's name, folder or reason holds the text. */
function holds({ name, project, folder, reason, engines }: Row, wanted: string): boolean {
  if (wanted === "") return true;
  const texts = [name, project, folder, reason?.unit, reason?.difference?.declared, ...engines];
  return texts.some((one) => one?.toLowerCase().includes(wanted));
}

/** The question, the counts, which filter the rows, and the search. */
function Question(
  { state, at }: { readonly state: ProjectList; readonly at: number },
) {
  const asked = query.value.get("verdict");
  const amounts = VERDICTS.map((verdict) =>
    [verdict, state.items.filter((row) => row.verdict === verdict && !row.ignored).length] as const
  ).filter(([, amount]) => amount > 0);
  const newer = state.items.reduce((sum, row) => sum + row.newer, 0);
  const onlyNewer = query.value.has("newer");
  const isWell = state.items.length > 0 &&
    amounts.every(([verdict]) => verdict === "asWritten" || verdict === "completed");
  return (
    <header class="question">
      <div class="question-head">
        <h1>{words.overview.question}</h1>
        <span class="question-end">
          <input
            type="search"
            aria-label={TEXT.filter}
            placeholder={TEXT.filter}
            value={query.value.get("q") ?? ""}
            onInput={({ currentTarget }) => go(withQuery({ q: currentTarget.value }), { replace: true })}
          />
          {may("workspaces:files") && <a class="button is-main" href="/new">{words.titles.newProject}</a>}
        </span>
      </div>
      <p class="counts">
        {amounts.map(([verdict, amount]) => (
          <a
            key={verdict}
            class={`filter ${verdict === asked ? "is-chosen" : ""}`}
            href={withQuery({ verdict: verdict === asked ? null : verdict })}
            {...(verdict === asked ? { "aria-current": "true" as const } : {})}
          >
            <Mark verdict={verdict}>{words.overview.count(verdict, amount)}</Mark>
          </a>
        ))}
        {(newer > 0 || onlyNewer) && (
          <a
            class={`filter ${onlyNewer ? "is-chosen" : ""}`}
            href={withQuery({ newer: onlyNewer ? null : "1" })}
            {...(onlyNewer ? { "aria-current": "true" as const } : {})}
          >
            ↑ {TEXT.newer(newer)}
          </a>
        )}
        <span class="quiet">
          {isWell && TEXT.allWell(state.items.length)}
          {link.value?.live === false && <Ago since={serviceTime(at)} say={words.overview.checked} />}
        </span>
      </p>
    </header>
  );
}

/** The order of rows by a column; the list itself comes with the worst first. */
const ORDERS: Readonly<Record<string, (one: Row, other: Row) => number>> = {
  name: (one, other) => one.name.localeCompare(other.name),
  running: (one, other) => other.running - one.running,
  ports: (one, other) => (one.ports[0] ?? Infinity) - (other.ports[0] ?? Infinity),
  engine: (one, other) => one.engines.join().localeCompare(other.engines.join()),
};

/** Sorts the rows by the column in the address, backwards where its name begins with "-". */
function ordered(rows: readonly Row[]): readonly Row[] {
  const asked = query.value.get("sort") ?? "";
  const isBackwards = asked.startsWith("-");
  const order = ORDERS[isBackwards ? asked.slice(1) : asked];
  const sorted = order === undefined ? rows : rows.toSorted(order);
  return isBackwards ? sorted.toReversed() : sorted;
}

/** The columns; each sorts the rows, and once more the other way round. The state is their own order. */
function Head(
  { isAllChosen, chooseAll }: {
    readonly isAllChosen: boolean;
    readonly chooseAll: (all: boolean) => void;
  },
) {
  const sorted = query.value.get("sort") ?? "";
  const columns = [
    ["project-name", "name", TEXT.name],
    ["project-why", "", TEXT.state],
    ["project-running", "running", TEXT.running],
    ["project-ports", "ports", TEXT.ports],
    ["project-engines", "engine", TEXT.engine],
  ] as const;
  return (
    <p class="project-head">
      <input
        type="checkbox"
        class="project-choice"
        checked={isAllChosen}
        aria-label={words.containers.chooseAll}
        onClick={({ currentTarget }) => chooseAll(currentTarget.checked)}
      />
      {columns.map(([place, column, word]) => {
        const isForwards = sorted === column;
        const isSorted = isForwards || sorted === `-${column}`;
        return (
          <a
            key={place}
            class={place}
            href={withQuery({ sort: isForwards ? `-${column}` : column || null })}
            {...(isSorted && { "aria-current": "true" as const })}
          >
            {word}
            {isSorted && <SortedBy isForwards={isForwards} />}
          </a>
        );
      })}
    </p>
  );
}

function SortedBy({ isForwards }: { readonly isForwards: boolean }) {
  return (
    <>
      {" "}
      <span aria-hidden="true">{isForwards ? "↓" : "↑"}</span>
      <span class="unseen">{isForwards ? TEXT.sorted : TEXT.sortedBackwards}</span>
    </>
  );
}
