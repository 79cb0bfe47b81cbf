/** One declared project in a line: its verdict, the reason, what runs, and the one thing to do next. */
import { useState } from "preact/hooks";
import type { ProjectReason } from "../../../client/berth/projects.ts";
import { planHref, projectHref, type Row } from "../../live/projects.ts";
import { may } from "../../live/session.ts";
import { now } from "../../parts/ago.tsx";
import { causeText, sinceText } from "../../parts/cause.ts";
import { readable } from "../../parts/readable.ts";
import { LaterProjectWays, LaterUnits } from "../../parts/later.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Ports } from "../../parts/project_ports.tsx";
import { shown } from "../../parts/shown.ts";
import { Sign } from "../../parts/sign.tsx";
import { words } from "../../words/en.ts";

const TEXT = words.projects;

export function ProjectRow(
  { row, isChosen, choose }: {
    readonly row: Row;
    readonly isChosen: boolean;
    readonly choose: () => void;
  },
) {
  const [isOpen, setOpen] = useState(false);
  const name = shown(row.name);
  return (
    <li class={`project is-${row.verdict} ${isChosen ? "is-chosen" : ""}`} aria-label={name}>
      <div class="project-line">
        <input
          type="checkbox"
          class="project-choice"
          checked={isChosen}
          aria-label={words.containers.choose(name)}
          onClick={choose}
        />
        <button
          type="button"
          class="unfold"
          aria-expanded={isOpen}
          aria-label={isOpen ? TEXT.fold(name) : TEXT.unfold(name)}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "▾" : "▸"}
        </button>
        <span class="project-name">
          <Sign verdict={row.verdict} />
          <a href={projectHref(row.id)}>{name}</a>
        </span>
        <span class="project-why">
          <Why row={row} /> {row.incident !== null && <Since of={row.incident} />}
          {row.newer > 0 && (
            <a class="project-newer" href={`/updates?project=${encodeURIComponent(row.id)}`}>
              ↑ {TEXT.newer(row.newer)}
            </a>
          )}
        </span>
        <span class="project-running">
          {row.desired === null
            ? TEXT.runningOfUnknown(row.running)
            : TEXT.runningOf(row.running, row.desired)}
        </span>
        <Ports ports={row.ports} />
        <span class="project-engines">{shown(row.engines.join(", "))}</span>
        <span class="project-act">
          <NextStep row={row} />
          <Menu kind="row-menu" label={TEXT.ways(name)} word="⋯">
            <LaterProjectWays id={row.id} isStack={row.swarm !== null} />
          </Menu>
        </span>
      </div>
      {isOpen && <LaterUnits id={row.id} revision={row.revision} />}
    </li>
  );
}

function NextStep({ row }: { readonly row: Row }) {
  if (row.verdict === "broken") {
    return may("containers:logs")
      ? (
        <a class="button" href={`${projectHref(row.id)}?view=logs`}>
          {words.overview.log}
          <Of row={row} />
        </a>
      )
      : null;
  }
  const word = row.verdict === "differs"
    ? TEXT.bring
    : row.verdict === "notStarted" || row.verdict === "stopped"
    ? TEXT.start
    : null;
  if (word === null || !may("projects:plan")) return null;
  return (
    <a class="button" href={planHref(row.id)}>
      {word}
      <Of row={row} />
    </a>
  );
}

const Of = ({ row }: { readonly row: Row }) => <span class="unseen">{shown(row.name)}</span>;

/** Says why a project has its verdict: the difference, how its container ended, or what could not be compared. */
function Why({ row: { verdict, reason, counts, desired } }: { readonly row: Row }) {
  if (reason === null) {
    return verdict === "notStarted" && desired !== null && desired > 0
      ? <>{words.verdict(verdict)} · {TEXT.services(counts.notStarted)}</>
      : <>{words.verdict(verdict)}</>;
  }
  const { unit, difference, container, stopped, away, notCompared, more } = reason;
  if (away !== null) return <>{shown(TEXT.away(away.engine, sinceOf(away.since)))}</>;
  if (difference === null && container === null && stopped === null && notCompared === null) {
    const one = <span class="project-unit">{shown(unit)}</span>;
    return <>{words.verdict(verdict)} · {counts[verdict] === 1 ? one : TEXT.services(counts[verdict])}</>;
  }
  if (stopped !== null) return <>{TEXT.stopped(stopped.byHand, sinceOf(stopped.since))} · {shown(unit)}</>;
  return (
    <>
      {container !== null && (
        <>
          <b>{conditionOf(container)}</b> ·{" "}
        </>
      )}
      <span class="project-unit">{shown(unit)}</span> {difference !== null && (
        <>
          {shown(difference.field)} <ins>{shown(readable(difference.resolved ?? difference.declared))}</ins> ≠
          {" "}
          {words.unit.runs} <del>{shown(readable(difference.actual))}</del>
        </>
      )}
      {container !== null && shown(container.healthOutput ?? container.reason ?? "")}
      {notCompared !== null && shown(notCompared)}
      {more > 0 && ` · ${TEXT.more(more)}`}
    </>
  );
}

/** Since when, and because of what, with the way to the incident. */
const Since = ({ of }: { readonly of: NonNullable<Row["incident"]> }) => (
  <a class="quiet" href={`/incidents/${of.id}`}>{shown(`· ${sinceText(of)}, ${causeText(of.cause)}`)}</a>
);

/** Says how long ago that was, by the service's clock: who asks is drawn again as it goes on. */
const sinceOf = (time: string | null): string | null =>
  time === null ? null : words.duration(Math.max(0, now.value - Date.parse(time)));

function conditionOf({ condition, exitCode, restartCount }: NonNullable<ProjectReason["container"]>): string {
  if (condition === "failed") return words.unit.exited(exitCode);
  if (condition === "unhealthy" || condition === "dead") return words.unit[condition];
  if (condition !== "restarting") return words.verdict("broken");
  return [words.unit.restarting, words.unit.ended(exitCode, restartCount, null)].filter((one) => one !== "")
    .join(", ");
}
