/** The plan of a project with the lines that cause each step. */
import { useEffect, useId, useState } from "preact/hooks";
import type { Diagnostic, Plan as PlanModel } from "../../../client/berth/models.ts";
import { PLAN_APPLY } from "../../../client/berth/plans.ts";
import { PROJECT_PLAN } from "../../../client/berth/projects.ts";
import { WORKSPACE_ARTIFACTS } from "../../../client/berth/workspaces.ts";
import { startOf } from "../../live/overview.ts";
import { nameIn, planHref, projectHref } from "../../live/projects.ts";
import { useResource } from "../../live/resource.ts";
import { client, may } from "../../live/session.ts";
import { Act } from "../../parts/act.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Field } from "../../parts/form.tsx";
import { Place } from "../../parts/place.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty, Loading, Trouble, Unread } from "../../parts/states.tsx";
import { go, query } from "../../router.ts";
import { words } from "../../words/en_later.ts";
import { Hook } from "./hook.tsx";
import { changed, type Options, PlanOptions } from "./plan_options.tsx";
import { type Choosing, Remedies } from "./remedies.tsx";
import { Reasons } from "./reasons.tsx";

const TEXT = words.applies;
type Action = PlanModel["action"];

/** Projects that are planned on one screen. */
const MOST_PLANS = 50;

/** The plan of one project, which its address names. */
export function Plan({ id }: { readonly id: string }) {
  const asked = query.value.get("action");
  const action: Action = asked !== null && asked in TEXT.actions ? asked as Action : "up";
  return (
    <>
      <header class="screen-head">
        <h1>{words.titles.planOf(shown(nameIn(id)))}</h1>
        <a href={projectHref(id)}>{TEXT.toProject}</a>
      </header>
      {may("projects:plan")
        ? <OfProject key={`${id} ${action}`} id={id} action={action} />
        : <Empty title={TEXT.noRight} />}
    </>
  );
}

/** The plans of several projects, each with its own apply. */
export function Plans() {
  const ids = [...new Set(query.value.getAll("p"))].slice(0, MOST_PLANS);
  const asked = query.value.get("action");
  const action: Action = asked !== null && asked in TEXT.actions ? asked as Action : "up";
  if (!may("projects:plan")) return <Empty title={TEXT.noRight} whole />;
  return (
    <>
      <header class="screen-head">
        <h1>{TEXT.plansOf(ids.length)}</h1>
      </header>
      {ids.length === 0 && <Empty title={TEXT.noneChosen} />}
      {ids.map((id) => (
        <section key={`${id} ${action}`} aria-label={shown(nameIn(id))}>
          <h2 class="plan-of">
            <a href={planHref(id, action)}>{shown(nameIn(id))}</a>
          </h2>
          <OfProject id={id} action={action} />
        </section>
      ))}
    </>
  );
}

/** Leads an address of a folder's plan to the plan of the project that it means. */
export function FolderPlan({ id }: { readonly id: string }) {
  const groups = useResource(may("projects:plan") ? `groups ${id}` : null, async (signal) => {
    const asked = { params: { id }, query: { kind: "group" as const }, signal };
    const { items } = (await client.get(WORKSPACE_ARTIFACTS, asked)).json();
    return items.filter(({ type }) => type === "main").map(({ name }) => name);
  }, { live: false });
  const names = groups.value.value;
  const problem = groups.problem.value;
  // Never the first of several: a plan that nobody asked for is one click away from its apply.
  const group = query.value.get("group") ?? (names?.length === 1 ? names[0] : undefined);
  const asked = query.value.get("action");
  const action: Action = asked !== null && asked in TEXT.actions ? asked as Action : "up";
  useEffect(() => {
    if (group !== undefined) go(planHref(`${group}@${id}`, action), { replace: true });
  }, [group]);
  if (!may("projects:plan")) return <Empty title={TEXT.noRight} whole />;
  if (names === undefined || group !== undefined) return <Unread problem={problem} again={groups.reload} />;
  return (
    <>
      <header class="screen-head">
        <h1>{TEXT.which}</h1>
        <a href={`/w/${encodeURIComponent(id)}`}>{shown(id)}</a>
      </header>
      {names.length === 0 && <Empty title={TEXT.noGroups} />}
      <ul class="rows">
        {names.map((name) => (
          <li class="row" key={name}>
            <a href={planHref(`${name}@${id}`, action)}>{shown(name)}</a>
          </li>
        ))}
      </ul>
    </>
  );
}

function OfProject({ id, action }: { readonly id: string; readonly action: Action }) {
  const [options, set] = useState<Options>({});
  const read = useResource(
    `plan ${id} ${action} ${JSON.stringify(options)}`,
    async (signal) => {
      const payload = { ...options, action };
      return (await client.post(PROJECT_PLAN, { params: { id }, payload, signal })).json();
    },
    { live: false },
  );
  const plan = read.value.value;
  const problem = read.problem.value;
  if (problem?.code === "ambiguous_name") return <Candidates ids={problem.errors} action={action} />;
  const choosing = { project: id, options, set, reload: read.reload };
  return (
    <>
      <PlanOptions id={id} action={action} options={options} set={set} />
      {problem !== null && (
        <>
          <Trouble problem={problem} again={read.reload} />
          <Remedies remedies={problem.remedies ?? []} choosing={choosing} />
        </>
      )}
      {problem === null && plan === undefined && <Loading />}
      {problem === null && plan !== undefined && <Steps plan={plan} choosing={choosing} />}
    </>
  );
}

/** The plans that a short name could mean. */
function Candidates(
  { ids, action }: { readonly ids: readonly { readonly message: string }[]; readonly action: Action },
) {
  return (
    <ul class="rows" aria-label={TEXT.which}>
      {ids.map(({ message }) => (
        <li class="row" key={message}>
          <a href={planHref(message, action)}>{shown(message)}</a>
        </li>
      ))}
    </ul>
  );
}

function Steps({ plan, choosing }: { readonly plan: PlanModel; readonly choosing: Choosing }) {
  const heading = useId();
  const { options, set, reload } = choosing;
  const destroy = (volume: string) => set(changed(options, "volumes", volume));
  const [isAsking, setAsking] = useState(false);
  const { steps, blocked, warnings, missing, unchanged, workspace, group } = plan;
  const interrupting = steps.filter(({ risk }) => risk === "interruption").length;
  const lost = lostBy(plan);
  const isReady = steps.length > 0 && blocked.length === 0 && missing.length === 0;
  return (
    <section aria-labelledby={heading}>
      <div class="section-head">
        <h2 id={heading}>{steps.length === 0 ? TEXT.nothing : TEXT.steps(steps.length)}</h2>
        <span class="screen-end">
          {options.volumes !== undefined && (
            <button
              type="button"
              class="button"
              onClick={() => set(changed(options, "volumes", null))}
            >
              {TEXT.keepData}
            </button>
          )}
          <button type="button" class="button" onClick={reload}>{TEXT.again}</button>
          <Act permission="projects:apply" kind="is-main" disabled={!isReady} act={() => setAsking(true)}>
            {words.titles.apply}
          </Act>
        </span>
      </div>
      {unchanged > 0 && <p class="hint">{TEXT.unchanged(unchanged)}</p>}
      <Notes title={TEXT.blocked} notes={blocked} workspace={workspace} choosing={choosing} />
      <Notes title={TEXT.warnings} notes={warnings} workspace={workspace} choosing={choosing} />
      {missing.map(({ permission, subject, field, why, at }) => (
        <p class="trouble" key={`${permission} ${subject.project} ${field}`}>
          {shown(TEXT.lacks(permission, subject.project ?? subject.workspace ?? subject.engine))}
          {field !== undefined && (
            <span class="quiet">{shown(` ${field} ${why} (${at?.file}:${at?.range.start.line})`)}</span>
          )}
        </p>
      ))}
      <ol class="steps">
        {steps.map(({ n, kind, target, why, risk, ifChanged, hook, within }) => (
          <li class="step" key={n}>
            <p class="step-head">
              <span class="step-number">{n}</span>
              <span>{TEXT.kinds[kind]}</span> <strong>{shown(target)}</strong>
              {risk === "interruption" && <span class="quiet">{TEXT.interruption}</span>}
              {risk === "dataLoss" && <span class="trouble">{TEXT.dataLoss}</span>}
              {ifChanged !== undefined && (
                <span class="quiet">{TEXT.onlyIf(...conditionsOf(steps, ifChanged))}</span>
              )}
            </p>
            {hook !== undefined && <Hook hook={hook} within={within} />}
            <Reasons why={why} workspace={workspace} />
          </li>
        ))}
      </ol>
      <Keeps volumes={plan.keeps ?? []} destroy={destroy} />
      {isAsking && (
        <Confirm
          title={words.titles.apply}
          question={TEXT.question(steps.length, shown(group))}
          hints={[TEXT.exactly, ...interrupting > 0 ? [TEXT.interrupts(interrupting)] : []]}
          close={() => setAsking(false)}
          isReady={(fields) => lost.every((name, at) => fields[`lost ${at}`] === name)}
          act={() => apply(plan)}
        >
          {lost.map((name, at) => (
            <Field key={name} label={TEXT.typeVolume} name={`lost ${at}`} hint={shown(name)} />
          ))}
        </Confirm>
      )}
    </section>
  );
}

/** The volumes whose data go. */
const lostBy = ({ steps }: PlanModel): string[] =>
  steps.filter(({ risk }) => risk === "dataLoss").map(({ target }) => target);

/** The volumes that stay, each with the way to remove it, too. */
function Keeps(
  { volumes, destroy }: { readonly volumes: readonly string[]; readonly destroy: (volume: string) => void },
) {
  if (volumes.length === 0) return null;
  return (
    <>
      <h3>{TEXT.keeps}</h3>
      <ul class="rows">
        {volumes.map((name) => (
          <li class="row" key={name}>
            <strong>{shown(name)}</strong>
            <Act permission="projects:destroy" act={() => destroy(name)}>{TEXT.destroy}</Act>
          </li>
        ))}
      </ul>
    </>
  );
}

async function apply(plan: PlanModel): Promise<void> {
  const { id, basis: { declared, observed } } = plan;
  const payload = { basis: { declared, observed }, confirm: lostBy(plan) };
  const begun = (await client.post(PLAN_APPLY, { params: { id }, payload, expectedStatus: 202 })).json();
  go(`/applies/${encodeURIComponent(begun.id)}`);
}

function Notes(
  { title, notes, workspace, choosing }: {
    readonly title: string;
    readonly notes: readonly Diagnostic[];
    readonly workspace: string;
    readonly choosing: Choosing;
  },
) {
  if (notes.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="rows">
        {notes.map(({ message, location, code, subject, remedies = [] }) => (
          <li class="row diagnostic" key={`${code} ${subject} ${message}`}>
            <span class="diagnostic-message">{shown(message)}</span>
            {location !== null && <Place place={startOf(location)} workspace={workspace} />}
            <Remedies remedies={remedies} choosing={choosing} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The numbers of the steps that a step depends on: pulls by their image, changes in place by the engine's refusal. */
function conditionsOf(
  steps: PlanModel["steps"],
  after: readonly number[],
): [images: string, refusals: string] {
  const isUpdate = (n: number) => steps.some((step) => step.n === n && step.kind === "container.update");
  return [after.filter((n) => !isUpdate(n)).join(", "), after.filter(isUpdate).join(", ")];
}
