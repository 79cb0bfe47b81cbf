/** Every container of every engine: found, chosen, started, stopped, removed. */
import { useRef, useState } from "preact/hooks";
import { containerHref } from "../../parts/container_href.ts";
import type { Container } from "../../../client/berth/containers.ts";
import { keyOf, results } from "../../live/actions.ts";
import { isCompared, useMarks } from "../../live/marks.ts";
import { useRows } from "../../live/rows.ts";
import { may, who } from "../../live/session.ts";
import { SIGN_OF, type Verdict } from "../../verdict.ts";
import { Ago } from "../../parts/ago.tsx";
import { Choose } from "../../parts/choose.tsx";
import { LaterMeasured } from "../../parts/later.tsx";
import { portsOf } from "../../parts/ports.ts";
import { shown } from "../../parts/shown.ts";
import { Mark } from "../../parts/sign.tsx";
import { Empty, Trouble, Unavailable, Unread } from "../../parts/states.tsx";
import { Choice, Rows } from "../../parts/window.tsx";
import { go, query, withQuery } from "../../router.ts";
import { words } from "../../words/en.ts";
import { Actions, ResultOf } from "./actions.tsx";

export function Containers() {
  const read = useRows(who.value && !may("containers:read") ? null : "containers", "containers");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const list = read.value.value;
  const isMeasured = query.value.has("measures");
  const markOf = useMarks();
  const signOf = (one: Container): Verdict => {
    const own = SIGN_OF[one.condition];
    return own === "broken" ? own : markOf(one) ?? own;
  };
  const arrivals = useArrivals(list?.items ?? []);
  const fitting = arrivals.items.filter(fits(query.value, signOf)).sort(byName);
  const problem = read.problem.value;
  if (who.value && !may("containers:read")) return <Empty title={words.containers.noRight} whole />;
  if (list === undefined) return <Unread problem={problem} again={read.reload} />;
  const marked = fitting.filter((one) => chosen.has(keyOf(one)));
  const choose = (one: Container) => {
    const next = new Set(chosen);
    if (!next.delete(keyOf(one))) next.add(keyOf(one));
    setChosen(next);
  };
  const chooseAll = () =>
    setChosen(marked.length === fitting.length ? new Set() : new Set(fitting.map(keyOf)));
  return (
    <div class={isMeasured ? "list-screen has-measures" : "list-screen"}>
      {problem !== null && <Trouble problem={problem} since={read.at.value} again={read.reload} />}
      <Unavailable engines={list.unavailable} />
      <header class="screen-head">
        <h1>{words.containers.title}</h1>
        <span class="quiet" role="status">{words.containers.shown(fitting.length, list.total)}</span>
        <Filters items={list.items} />
      </header>
      {arrivals.waiting > 0 && (
        <div class="arrivals">
          <button type="button" class="button" onClick={arrivals.show}>
            {words.containers.arrived(arrivals.waiting)}
          </button>
        </div>
      )}
      {fitting.length === 0 ? <None total={list.total} /> : (
        <Rows
          label={words.containers.title}
          items={fitting}
          keyOf={keyOf}
          isChosen={(one) => chosen.has(keyOf(one))}
          choose={choose}
          open={(one) => go(containerHref(one))}
          head={
            <Head
              isAll={marked.length === fitting.length}
              isMeasured={isMeasured}
              chooseAll={chooseAll}
            />
          }
          cells={(one) => (
            <Cells
              container={one}
              sign={signOf(one)}
              isMeasured={isMeasured}
              isChosen={chosen.has(keyOf(one))}
              choose={() => choose(one)}
            />
          )}
        />
      )}
      <Actions chosen={marked} clear={() => setChosen(new Set())} />
    </div>
  );
}

function byName(one: Container, other: Container): number {
  return one.name < other.name ? -1 : one.name > other.name ? 1 : one.backend < other.backend ? -1 : 1;
}

/** Rows that are new while somebody points at the list, or walks in it, wait until they are asked for. */
function useArrivals(items: readonly Container[]) {
  const seen = useRef<ReadonlySet<string> | null>(null);
  const [, draw] = useState(0);
  const nameOf = ({ backend, name }: Container) => `${backend}/${name}`;
  const waiting = seen.current === null ? [] : items.filter((one) => !seen.current!.has(nameOf(one)));
  const isBusy = waiting.length > 0 &&
    document.querySelector(":is(.rows-drawn, .arrivals):is(:hover, :focus-within)") !== null;
  if (!isBusy && items.length > 0) seen.current = new Set(items.map(nameOf));
  const show = () => {
    seen.current = null;
    draw((count) => count + 1);
  };
  if (!isBusy) return { items, waiting: 0, show };
  return { items: items.filter((one) => seen.current!.has(nameOf(one))), waiting: waiting.length, show };
}

/** Signs by which one can choose, beside the engine's own states. */
const SIGNS: readonly Verdict[] = ["broken", "differs", "undeclared"];
const isSign = (state: string): state is Verdict => (SIGNS as readonly string[]).includes(state);

function fits(asked: URLSearchParams, signOf: (one: Container) => Verdict): (one: Container) => boolean {
  const wanted = (asked.get("q") ?? "").toLowerCase().split(/\s+/).filter((word) => word !== "");
  const [state, project, engine] = ["state", "project", "engine"].map((name) => asked.get(name));
  return (one) => {
    if (state && (isSign(state) ? signOf(one) : one.state) !== state) return false;
    if (project && one.compose?.project !== project || engine && one.backend !== engine) return false;
    if (wanted.length === 0) return true;
    const labels = Object.entries(one.labels).map(([name, value]) => `${name}=${value}`).join(" ");
    const text = `${one.name} ${one.image} ${one.compose?.project ?? ""} ${one.backend} ${labels}`
      .toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
}

function Filters({ items }: { readonly items: readonly Container[] }) {
  const states = [...new Set(items.map(({ state }) => state))].sort();
  const projects = [...new Set(items.flatMap(({ compose }) => compose?.project ?? []))].sort();
  const engines = [...new Set(items.map(({ backend }) => backend))].sort();
  return (
    <div class="filters" role="search">
      <input
        type="search"
        aria-label={words.containers.filter}
        placeholder={words.containers.filter}
        value={query.value.get("q") ?? ""}
        onInput={({ currentTarget }) => go(withQuery({ q: currentTarget.value }), { replace: true })}
      />
      <Choose
        name="state"
        label={words.containers.state}
        all={words.containers.all}
        options={[...SIGNS, ...states]}
        word={(one) => isSign(one) ? words.verdict(one) : one}
      />
      <Of
        name="project"
        label={words.containers.project}
        all={words.containers.allProjects}
        options={projects}
      />
      <Of name="engine" label={words.containers.engine} all={words.containers.allEngines} options={engines} />
      <button
        type="button"
        class="button"
        aria-pressed={query.value.has("measures")}
        onClick={() =>
          go(withQuery({ measures: query.value.has("measures") ? null : "1" }), { replace: true })}
      >
        {words.measures.show}
      </button>
    </div>
  );
}

/** Nothing to choose from with one alone. */
function Of(
  { name, label, all, options }: {
    readonly name: "project" | "engine";
    readonly label: string;
    readonly all: string;
    readonly options: readonly string[];
  },
) {
  if (options.length < 2 && !query.value.get(name)) return null;
  return <Choose name={name} label={label} all={all} options={options} />;
}

function None({ total }: { readonly total: number }) {
  return total === 0
    ? (
      <Empty title={words.containers.none}>
        <p class="hint">{words.containers.noneHint}</p>
      </Empty>
    )
    : (
      <Empty title={words.containers.noMatch}>
        <a class="button" href={withQuery({ q: null, state: null, project: null, engine: null })}>
          {words.containers.showAll}
        </a>
      </Empty>
    );
}

function Head(
  { isAll, isMeasured, chooseAll }: {
    readonly isAll: boolean;
    readonly isMeasured: boolean;
    readonly chooseAll: () => void;
  },
) {
  const { name, state, project, image, ports, since } = words.containers;
  return (
    <>
      <span role="columnheader" class="cell-choice">
        <input type="checkbox" checked={isAll} aria-label={words.containers.chooseAll} onClick={chooseAll} />
      </span>
      <span role="columnheader" class="cell-name">{name}</span>
      <span role="columnheader" class="cell-state">{state}</span>
      <span role="columnheader" class="cell-since">{since}</span>
      <span role="columnheader" class="cell-project">{project}</span>
      <span role="columnheader" class="cell-image">{image}</span>
      {isMeasured
        ? (
          <span role="columnheader" class="cell-measures">
            <span>{words.measures.title.cpu}</span>
            <span>{words.measures.title.memory}</span>
          </span>
        )
        : <span role="columnheader" class="cell-ports">{ports}</span>}
    </>
  );
}

function Cells(
  { container, sign, isMeasured, isChosen, choose }: {
    readonly container: Container;
    readonly sign: Verdict;
    /** True if the row shows measurements. */
    readonly isMeasured: boolean;
    readonly isChosen: boolean;
    readonly choose: () => void;
  },
) {
  const { name, state, exitCode, compose, image } = container;
  const since = state === "running" || state === "paused" ? container.startedAt : container.finishedAt;
  const result = results.value.get(keyOf(container));
  return (
    <>
      <span role="gridcell" class="cell-choice">
        <Choice name={shown(name)} isChosen={isChosen} choose={choose} />
      </span>
      <span role="gridcell" class="cell-name">
        <a href={containerHref(container)} tabIndex={-1}>{shown(name)}</a>
      </span>
      <span role="gridcell" class="cell-state">
        {result === undefined
          ? (
            <Mark verdict={sign} key={`${sign} ${state} ${exitCode}`}>
              {isCompared(sign) ? words.compared(words.state(container), sign) : words.state(container)}
            </Mark>
          )
          : <ResultOf result={result} />}
      </span>
      <span role="gridcell" class="cell-since">{since !== null && <Ago since={Date.parse(since)} />}</span>
      <span role="gridcell" class="cell-project">{shown(compose?.project ?? "")}</span>
      <span role="gridcell" class="cell-image">
        <code>{shown(image)}</code>
      </span>
      {isMeasured
        ? (
          <span role="gridcell" class="cell-measures">
            {state === "running" && <LaterMeasured container={keyOf(container)} key={keyOf(container)} />}
          </span>
        )
        : <span role="gridcell" class="cell-ports">{portsOf(container)}</span>}
    </>
  );
}
