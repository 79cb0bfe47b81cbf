/** The plan of one project, which its address names, with the lines that cause each step. */
import { useEffect, useId, useState } from "preact/hooks";
import type { Plan as PlanModel } from "../../../client/berth/models.ts";
import { PROJECT_PLAN } from "../../../client/berth/projects.ts";
import { WORKSPACE_ARTIFACTS } from "../../../client/berth/workspaces.ts";
import { nameIn, planHref, projectHref } from "../../live/projects.ts";
import { type Resource, useResource } from "../../live/resource.ts";
import { client, may } from "../../live/session.ts";
import { Act } from "../../parts/act.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Copied } from "../../parts/copied.tsx";
import { Field } from "../../parts/form.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty, Loading, Trouble, Unread } from "../../parts/states.tsx";
import { address, go, query } from "../../router.ts";
import { words } from "../../words/en_later.ts";
import { commandOf } from "../../parts/plan/command_line.ts";
import {
  type Action,
  actionIn,
  type Options,
  optionsIn,
  withOptions,
} from "../../parts/plan/plan_address.ts";
import { changed, PlanOptions } from "./plan_options.tsx";
import { usePlanValues } from "./plan_values.tsx";
import { type Choosing, Remedies } from "./remedies.tsx";
import { canTakeBack, interruptionsOf, isReady, lostBy, startApply } from "./start.ts";
import { Steps } from "./steps.tsx";

const TEXT = words.applies;

export function Plan({ id }: { readonly id: string }) {
  const action = actionIn(query.value);
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
  const action = actionIn(query.value);
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

/** Plans with the options of the address, and with the volumes that were chosen here. */
export function usePlan(id: string, action: Action, options: Options): Resource<PlanModel> {
  return useResource(
    `plan ${id} ${action} ${JSON.stringify(options)}`,
    async (signal) => {
      const payload = { ...options, action };
      return (await client.post(PROJECT_PLAN, { params: { id }, payload, signal })).json();
    },
    { live: false },
  );
}

function OfProject({ id, action }: { readonly id: string; readonly action: Action }) {
  const [volumes, setVolumes] = useState<Options["volumes"]>(undefined);
  const options: Options = { ...optionsIn(query.value), ...(volumes !== undefined && { volumes }) };
  const set = (next: Options) => {
    setVolumes(next.volumes);
    go(withOptions(address.peek(), next), { replace: true });
  };
  const read = usePlan(id, action, options);
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
      {problem === null && plan !== undefined && <Planned plan={plan} action={action} choosing={choosing} />}
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

function Planned(
  { plan, action, choosing }: {
    readonly plan: PlanModel;
    readonly action: Action;
    readonly choosing: Choosing;
  },
) {
  const heading = useId();
  const { options, set, reload, project } = choosing;
  /** The plan that is asked about: another one that is read meanwhile does not take its place. */
  const [asked, setAsked] = useState<PlanModel | null>(null);
  const values = usePlanValues(plan, project);
  const { steps, workspace, group } = plan;
  return (
    <section aria-labelledby={heading}>
      <div class="section-head">
        <h2 id={heading}>{steps.length === 0 ? TEXT.nothing : TEXT.steps(steps.length)}</h2>
        <span class="screen-end">
          {options.volumes !== undefined && (
            <button
              type="button"
              class="button"
              onClick={() => set?.(changed(options, "volumes", null))}
            >
              {TEXT.keepData}
            </button>
          )}
          {values.button}
          <button type="button" class="button" onClick={reload}>{TEXT.again}</button>
          <Act
            permission="projects:apply"
            kind="is-main"
            disabled={!isReady(plan) || plan.commit !== undefined}
            act={() => setAsked(plan)}
          >
            {words.titles.apply}
          </Act>
        </span>
      </div>
      {plan.commit !== undefined && (
        <p class="lead">
          {words.sources.atCommit(plan.commit.slice(0, 8))}{" "}
          <a href={`/w/${encodeURIComponent(workspace)}/source`}>{words.sources.title}</a>
        </p>
      )}
      <Steps plan={values.plan} choosing={choosing} />
      <p class="hint">
        {TEXT.command} <Copied text={commandOf(`${group}@${workspace}`, { action, ...options })} />
      </p>
      {asked !== null && <Question plan={asked} close={() => setAsked(null)} />}
    </section>
  );
}

function Question({ plan, close }: { readonly plan: PlanModel; readonly close: () => void }) {
  const interrupting = interruptionsOf(plan);
  const lost = lostBy(plan);
  return (
    <Confirm
      title={words.titles.apply}
      question={TEXT.question(plan.steps.length, shown(plan.group))}
      hints={[TEXT.exactly, ...interrupting > 0 ? [TEXT.interrupts(interrupting)] : []]}
      close={close}
      isReady={(fields) => lost.every((name, at) => fields[`lost ${at}`] === name)}
      act={async (fields) => {
        const onFailure = fields["takeBack"] === "on" ? "rollback" : "stop";
        go(`/applies/${encodeURIComponent((await startApply(plan, onFailure)).id)}`);
      }}
    >
      {canTakeBack(plan) && (
        <label class="check">
          <input type="checkbox" name="takeBack" /> {TEXT.takeBack}
        </label>
      )}
      {lost.map((name, at) => (
        <Field key={name} label={TEXT.typeVolume} name={`lost ${at}`} hint={shown(name)} />
      ))}
    </Confirm>
  );
}
