/** The plans of several projects: each unfolds, and one button carries out all that can be. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Plan } from "../../../client/berth/models.ts";
import { type Planned, PlanSet } from "../../live/plans.ts";
import { proved } from "../../live/proof.ts";
import { nameIn, planHref, projectHref, useProjects } from "../../live/projects.ts";
import { may } from "../../live/session.ts";
import { Act } from "../../parts/act.tsx";
import { ApplyMark } from "../../parts/apply_mark.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { shown } from "../../parts/shown.ts";
import { Mark, Sign } from "../../parts/sign.tsx";
import { Empty, Trouble, Unread } from "../../parts/states.tsx";
import { query } from "../../router.ts";
import { words } from "../../words/en_later.ts";
import { actionIn, optionsIn } from "../../parts/plan/plan_address.ts";
import type { Choosing } from "./remedies.tsx";
import { interruptionsOf, isReady, lostBy, startApply } from "./start.ts";
import { Steps } from "./steps.tsx";

const TEXT = words.applies;

/** Projects that are planned on one screen. */
const MOST_PLANS = 50;

export function Plans() {
  const asked = query.value;
  const ids = [...new Set(asked.getAll("p"))].slice(0, MOST_PLANS);
  if (!may("projects:plan")) return <Empty title={TEXT.noRight} whole />;
  if (ids.length === 0) return <Which />;
  return <Several key={asked.toString()} ids={ids} />;
}

/** The projects to choose from: an address that names none never plans the first of them. */
function Which() {
  const read = useProjects();
  const problem = read.problem.value;
  const rows = read.value.value?.items;
  if (!may("artifacts:read")) return <Empty title={words.projects.noRight} whole />;
  if (rows === undefined) return <Unread problem={problem} again={read.reload} />;
  const declared = rows.filter(({ workspace }) => workspace !== null);
  return (
    <>
      <header class="screen-head">
        <h1>{TEXT.which}</h1>
      </header>
      {problem !== null && <Trouble problem={problem} since={read.at.value} again={read.reload} />}
      {declared.length === 0 && <Empty title={TEXT.noneDeclared} />}
      <ul class="rows" aria-label={TEXT.which}>
        {declared.map(({ id, name, verdict, workspace }) => (
          <li class="row" key={id}>
            <span>
              <Sign verdict={verdict} /> <a href={planHref(id, actionIn(query.value))}>{shown(name)}</a>
            </span>{" "}
            <span class="quiet">{shown(workspace?.name ?? "")}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Several({ ids }: { readonly ids: readonly string[] }) {
  const set = useMemo(
    () => new PlanSet(ids, { ...optionsIn(query.peek()), action: actionIn(query.peek()) }),
    [],
  );
  const ending = useMemo(() => new AbortController(), []);
  const [isAsking, setAsking] = useState(false);
  const plan = () => void set.plan(ending.signal);
  useEffect(() => {
    plan();
    return () => ending.abort();
  }, []);
  const all = set.all.value;
  const ready = all.filter(canBeApplied);
  const isBusy = all.some((one) => one.isBusy);
  return (
    <>
      <header class="screen-head">
        <h1>{TEXT.plansOf(all.length)}</h1>
        <span class="screen-end">
          <button type="button" class="button" disabled={isBusy} onClick={plan}>{TEXT.again}</button>
          <Act
            permission="projects:apply"
            kind="is-main"
            disabled={isBusy || ready.length === 0}
            act={() => setAsking(true)}
          >
            {TEXT.applyOf(ready.length, all.length)}
          </Act>
        </span>
      </header>
      <ul class="projects">
        {all.map((one) => (
          <Row
            key={one.id}
            planned={one}
            reload={() => void set.plan(ending.signal, one.id)}
          />
        ))}
      </ul>
      {isAsking && (
        <Confirm
          title={TEXT.applyOf(ready.length, all.length)}
          question={TEXT.questionOf(ready.map(({ id }) => shown(nameIn(id))).join(", "))}
          hints={[TEXT.exactly, ...interruptHint(ready)]}
          close={() => setAsking(false)}
          act={() => {
            void set.apply(ready, (plan) => proved(() => startApply(plan)), ending.signal);
            return Promise.resolve();
          }}
        />
      )}
    </>
  );
}

/** A plan that takes data with it is carried out alone, where its volumes are named. */
const canBeApplied = ({ plan, apply, problem, isBusy }: Planned): boolean =>
  !isBusy && apply === undefined && !problem && plan !== undefined && isReady(plan) &&
  lostBy(plan).length === 0;

function interruptHint(ready: readonly Planned[]): string[] {
  const amount = ready.reduce((all, { plan }) => all + (plan === undefined ? 0 : interruptionsOf(plan)), 0);
  return amount > 0 ? [TEXT.interrupts(amount)] : [];
}

function Row({ planned, reload }: { readonly planned: Planned; readonly reload: () => void }) {
  const { id, plan, apply, problem, isBusy } = planned;
  const [isOpen, setOpen] = useState(false);
  const name = shown(nameIn(id));
  // Options are the address's, for all of them; those of one project are on its own plan.
  const choosing: Choosing = { project: id, options: {}, set: null, reload };
  return (
    <li class="project" aria-label={name}>
      <div class="project-line">
        <button
          type="button"
          class="unfold"
          aria-expanded={isOpen}
          aria-label={isOpen ? TEXT.fold(name) : TEXT.unfold(name)}
          disabled={plan === undefined}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "▾" : "▸"}
        </button>
        <span class="project-name">
          <a href={projectHref(id)}>{name}</a>
        </span>
        <span class="project-why is-wide">
          {problem
            ? <Trouble problem={problem} again={reload} />
            : <Said plan={plan} isBusy={isBusy} isBegun={apply !== undefined} />}
        </span>
        <span class="project-act">
          {apply === undefined
            ? <a href={planHref(id, actionIn(query.value))}>{TEXT.alone}</a>
            : (
              <a href={`/applies/${encodeURIComponent(apply.id)}`}>
                <ApplyMark apply={apply} />
              </a>
            )}
        </span>
      </div>
      {isOpen && plan !== undefined && (
        <div class="project-units">
          <Steps plan={plan} choosing={choosing} />
        </div>
      )}
    </li>
  );
}

function Said(
  { plan, isBusy, isBegun }: {
    readonly plan: Plan | undefined;
    readonly isBusy: boolean;
    readonly isBegun: boolean;
  },
) {
  if (plan === undefined) return <>{isBusy ? words.loading : ""}</>;
  if (isBusy && !isBegun) return <>{TEXT.waitsItsTurn}</>;
  const [blocked] = plan.blocked;
  if (blocked !== undefined) return <Mark verdict="broken">{shown(blocked.message)}</Mark>;
  const [lacking] = plan.missing;
  if (lacking !== undefined) {
    const { project, workspace, engine } = lacking.subject;
    return (
      <Mark verdict="unknown">{shown(TEXT.lacks(lacking.permission, project ?? workspace ?? engine))}</Mark>
    );
  }
  if (plan.steps.length === 0) return <>{TEXT.nothing}</>;
  if (lostBy(plan).length > 0) return <Mark verdict="differs">{TEXT.losesData}</Mark>;
  const interrupting = interruptionsOf(plan);
  const said = [
    TEXT.steps(plan.steps.length),
    ...interrupting > 0 ? [TEXT.interrupts(interrupting)] : [],
    ...plan.warnings.length > 0 ? [TEXT.notes(plan.warnings.length)] : [],
  ];
  return <>{said.join(" · ")}</>;
}
