/** The first screen: is what runs what I wrote, and if not, where does it differ? */
import { useState } from "preact/hooks";
import { containerHref } from "../../parts/container_href.ts";
import { type Overview as State, readOverview, type SeenContainer, type Unit } from "../../live/overview.ts";
import { ignore, ignored, ignoreNothing } from "../../live/ignored.ts";
import { serviceTime } from "../../live/live.ts";
import { useResource } from "../../live/resource.ts";
import { may, who } from "../../live/session.ts";
import { SIGN_OF, type Verdict, VERDICTS } from "../../verdict.ts";
import { Ago } from "../../parts/ago.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Facing } from "../../parts/facing.tsx";
import { LaterLately } from "../../parts/later.tsx";
import { Place } from "../../parts/place.tsx";
import { shown } from "../../parts/shown.ts";
import { Mark, Sign } from "../../parts/sign.tsx";
import { Empty, Trouble, Unavailable, Unread } from "../../parts/states.tsx";
import { words } from "../../words/en.ts";
import { RegisterForm } from "./register.tsx";
import { Workspaces } from "./workspaces.tsx";

/** Verdicts that need no attention. */
const WELL: readonly Verdict[] = ["completed", "asWritten"];

export function Overview() {
  const mayRead = may("workspaces:read");
  const overview = useResource(mayRead ? "overview" : null, readOverview);
  const state = overview.value.value;
  const problem = overview.problem.value;
  const at = overview.at.value;
  if (!mayRead && who.value) {
    return (
      <Empty title={words.overview.noRight} whole>
        {may("containers:read") && <a class="button" href="/c">{words.container.toList}</a>}
      </Empty>
    );
  }
  if (state === undefined) return <Unread problem={problem} again={overview.reload} />;
  return (
    <>
      {problem !== null && <Trouble problem={problem} since={at} again={overview.reload} />}
      {state.workspaces.length === 0 && state.units.length === 0 && state.undeclared.length === 0
        ? <Nothing state={state} reload={overview.reload} />
        : <Answer state={state} at={at} reload={overview.reload} />}
    </>
  );
}

/** Nothing to compare, and the one next step. */
function Nothing({ state, reload }: { readonly state: State; readonly reload: () => void }) {
  return (
    <div class="first">
      <h1>{words.overview.emptyTitle}</h1>
      <p class="lead">{words.overview.emptyLead}</p>
      <RegisterForm done={reload} />
      {state.engines.length === 0 && <p class="hint">{words.overview.noEngine}</p>}
      <Lacking engines={state.engines} />
    </div>
  );
}

function Lacking({ engines }: Pick<State, "engines">) {
  const lacking = engines.filter(({ state, stale }) => state !== "up" || stale !== undefined);
  return (
    <Unavailable
      engines={lacking.map(({ name, reason = "", ...more }) => ({ backend: name, reason, ...more }))}
    />
  );
}

function Answer(
  { state, at, reload }: { readonly state: State; readonly at: number; readonly reload: () => void },
) {
  const { units } = state;
  const undeclared = state.undeclared.filter((one) => !ignored.value.has(nameOf(one)));
  const hidden = state.undeclared.length - undeclared.length;
  const bad = units.filter(({ verdict }) => !WELL.includes(verdict));
  const well = units.filter(({ verdict }) => WELL.includes(verdict));
  const upTo =
    bad.findLastIndex(({ verdict }) => VERDICTS.indexOf(verdict) < VERDICTS.indexOf("undeclared")) + 1;
  return (
    <>
      <header class="question">
        <h1>{words.overview.question}</h1>
        <Counts units={units} undeclared={undeclared.length} at={at} />
      </header>
      <Lacking engines={state.engines} />
      <ul class="findings" aria-label={words.overview.question}>
        {bad.slice(0, upTo).map((unit) => <UnitRow unit={unit} key={`${unit.workspace} ${unit.id}`} />)}
        {undeclared.map((one) => <UndeclaredRow container={one} key={`${one.backend} ${one.id}`} />)}
        {bad.slice(upTo).map((unit) => <UnitRow unit={unit} key={`${unit.workspace} ${unit.id}`} />)}
      </ul>
      {well.length > 0 && <Well units={well} />}
      {hidden > 0 && (
        <p class="hint">
          {words.overview.ignored(hidden)}{" "}
          <button type="button" class="link" onClick={ignoreNothing}>{words.overview.unignore}</button>
        </p>
      )}
      <Workspaces workspaces={state.workspaces} reload={reload} />
      <LaterLately />
    </>
  );
}

function Counts(
  { units, undeclared, at }: {
    readonly units: readonly Unit[];
    readonly undeclared: number;
    readonly at: number;
  },
) {
  const amounts = VERDICTS.map((verdict) =>
    [
      verdict,
      verdict === "undeclared" ? undeclared : units.filter((unit) => unit.verdict === verdict).length,
    ] as const
  ).filter(([, amount]) => amount > 0);
  const isWell = units.length > 0 && amounts.every(([verdict]) => WELL.includes(verdict));
  if (isWell) {
    return (
      <p class="counts">
        <Sign verdict="asWritten" />
        <Ago since={serviceTime(at)} say={(ago) => words.overview.allWell(units.length, ago)} />
      </p>
    );
  }
  return (
    <p class="counts">
      {amounts.map(([verdict, amount]) => (
        <Mark verdict={verdict} key={verdict}>{words.overview.count(verdict, amount)}</Mark>
      ))}
      <span class="quiet">
        <Ago since={serviceTime(at)} say={words.overview.checked} />
      </span>
    </p>
  );
}

function UnitRow({ unit }: { readonly unit: Unit }) {
  const container = unit.containers[0];
  return (
    <li class={`finding is-${unit.verdict} ${unit.differences.length > 0 ? "has-differences" : ""}`}>
      <div class="finding-head">
        <Sign verdict={unit.verdict} />
        <a class="finding-name" href={hrefOf(unit)}>{shown(unit.name)}</a>
        <span class="finding-word">{whyOf(unit)}</span>
        <span class="finding-end">
          {container !== undefined && <Ways container={container} />}
        </span>
      </div>
      <div class="finding-rest">
        {unit.differences.map((one) => (
          <Facing key={`${one.field} ${one.container}`} {...one}>
            <a href={hrefOf(unit)}>
              <Place place={one.place} folder={unit.workspace} />
            </a>
          </Facing>
        ))}
        {unit.differences.length === 0 && (
          <a href={hrefOf(unit)}>
            <Place place={unit.place} folder={unit.workspace} />
          </a>
        )}
        {detailOf(unit) !== "" && <span class="finding-detail">{shown(detailOf(unit))}</span>}
      </div>
    </li>
  );
}

function Ways({ container }: { readonly container: SeenContainer }) {
  const href = containerHref(container);
  const name = <span class="unseen">{shown(container.name)}</span>;
  return (
    <>
      <a href={href}>{words.overview.log}{name}</a>
      {container.state === "running" && may("containers:exec") && (
        <a href={`${href}?view=shell`}>{words.overview.shell}{name}</a>
      )}
    </>
  );
}

function nameOf({ backend, name }: SeenContainer): string {
  return `${backend}/${name}`;
}

function hrefOf({ workspace, name }: Unit): string {
  return `/w/${encodeURIComponent(workspace)}?unit=${encodeURIComponent(name)}`;
}

/** More than the verdict, where more is known. */
function whyOf({ verdict, containers, desired }: Unit): string {
  if (verdict !== "broken") return words.verdict(verdict);
  const bad = brokenOf(containers);
  if (bad === undefined) {
    return words.unit.degraded(containers.filter(({ state }) => state === "running").length, desired);
  }
  return bad.condition === "failed" ? words.unit.exited(bad.exitCode) : words.unit[bad.condition];
}

/** Why a unit is not known, or what the engine says of a broken one: how it ended, how often, and why. */
function detailOf({ verdict, containers, notCompared }: Unit): string {
  if (verdict === "unknown") return notCompared ?? "";
  const bad = verdict === "broken" ? brokenOf(containers) : undefined;
  if (bad === undefined) return "";
  return words.unit.ended(bad.condition === "failed" ? null : bad.exitCode, bad.restartCount, bad.reason);
}

type Broken = SeenContainer & { readonly condition: "restarting" | "unhealthy" | "dead" | "failed" };

function brokenOf(containers: readonly SeenContainer[]): Broken | undefined {
  return containers.find((one): one is Broken => SIGN_OF[one.condition] === "broken");
}

function UndeclaredRow({ container }: { readonly container: SeenContainer }) {
  const { name, image, startedAt } = container;
  const [isAsking, setAsking] = useState(false);
  const href = containerHref(container);
  return (
    <li class="finding is-undeclared">
      <div class="finding-head">
        <Sign verdict="undeclared" />
        <a class="finding-name" href={href}>{shown(name)}</a>
        <span class="finding-word">
          {words.overview.inNoFile}
        </span>
        <span class="finding-end">
          <button
            type="button"
            class="link"
            aria-label={words.actOn(words.overview.ignore, shown(name))}
            onClick={() => setAsking(true)}
          >
            {words.overview.ignore}
          </button>
        </span>
      </div>
      <div class="finding-rest quiet">
        <code>{shown(image)}</code>
        {startedAt !== null && (
          <span class="finding-detail">
            <Ago since={Date.parse(startedAt)} say={words.overview.since} />
          </span>
        )}
      </div>
      {isAsking && (
        <Dialog title={words.overview.ignore} onClose={() => setAsking(false)}>
          <p class="lead">{words.overview.ignoreQuestion(shown(name))}</p>
          <div class="form-end">
            <button type="button" class="button" onClick={() => ignore(nameOf(container))}>
              {words.overview.ignoreIt}
            </button>
            <button type="button" class="button" onClick={() => setAsking(false)}>{words.cancel}</button>
          </div>
        </Dialog>
      )}
    </li>
  );
}

/** Everything that is as it should be: one line, and the rest when asked. */
function Well({ units }: { readonly units: readonly Unit[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="well">
      <p>
        <Mark verdict="asWritten">{words.overview.wellRest(units.length)}</Mark>{" "}
        <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? words.overview.hideRest : words.overview.showRest}
        </button>
      </p>
      {isOpen && (
        <ul class="well-units">
          {units.map((unit) => (
            <li key={`${unit.workspace} ${unit.id}`}>
              <Sign verdict={unit.verdict} />
              <a href={hrefOf(unit)}>{shown(unit.name)}</a>
              <span class="unseen">{words.verdict(unit.verdict)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
