/** A group's plan with the lines that cause each step, and the past applies. */
import { useState } from "preact/hooks";
import { APPLIES } from "../../../client/berth/applies.ts";
import type { Diagnostic, Plan as PlanModel } from "../../../client/berth/models.ts";
import { PLAN_APPLY } from "../../../client/berth/plans.ts";
import { WORKSPACE_ARTIFACTS, WORKSPACE_ARTIFACTS_GROUP_PLAN } from "../../../client/berth/workspaces.ts";
import { startOf } from "../../live/overview.ts";
import { useResource } from "../../live/resource.ts";
import { client, may } from "../../live/session.ts";
import { Act } from "../../parts/act.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Field, Select } from "../../parts/form.tsx";
import { Place } from "../../parts/place.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty, Loading, Trouble } from "../../parts/states.tsx";
import { go, query, withQuery } from "../../router.ts";
import { words } from "../../words/en.ts";
import { Hook } from "./hook.tsx";
import { Reasons } from "./reasons.tsx";
import { ApplyMark } from "../../parts/apply_mark.tsx";

const TEXT = words.applies;
type Action = PlanModel["action"];

export function Plan({ id }: { readonly id: string }) {
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
  return (
    <>
      <header class="screen-head">
        <h1>{TEXT.planOf(shown(group ?? id))}</h1>
        <a href={`/w/${encodeURIComponent(id)}`}>{shown(id)}</a>
      </header>
      {!may("projects:plan") && <Empty title={TEXT.noRight} />}
      {problem !== null && <Trouble problem={problem} again={groups.reload} />}
      {may("projects:plan") && problem === null && names === undefined && <Loading />}
      {names !== undefined && (group === undefined ? <Which names={names} /> : (
        <>
          <div class="plan-choice">
            <Select
              label={TEXT.action}
              name="action"
              value={action}
              options={Object.entries(TEXT.actions)}
              onChange={(one) => go(withQuery({ action: one === "up" ? null : one }), { replace: true })}
            />
          </div>
          <OfGroup key={`${group} ${action}`} workspace={id} group={group} action={action} />
        </>
      ))}
      <Journal workspace={id} />
    </>
  );
}

/** The groups of the folder, each a link to its own plan. */
function Which({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return <Empty title={TEXT.noGroups} />;
  return (
    <section aria-labelledby="which">
      <h2 id="which">{TEXT.which}</h2>
      <ul class="rows">
        {names.map((name) => (
          <li class="row" key={name}>
            <a href={withQuery({ group: name })}>{shown(name)}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function OfGroup(
  { workspace, group, action }: {
    readonly workspace: string;
    readonly group: string;
    readonly action: Action;
  },
) {
  const [volumes, setVolumes] = useState<readonly string[]>([]);
  const read = useResource(
    `plan ${workspace} ${group} ${action} ${JSON.stringify(volumes)}`,
    async (signal) => {
      const params = { id: workspace, name: group };
      const payload = { action, volumes: [...volumes] };
      return (await client.post(WORKSPACE_ARTIFACTS_GROUP_PLAN, { params, payload, signal })).json();
    },
    { live: false },
  );
  const plan = read.value.value;
  const problem = read.problem.value;
  if (problem !== null) return <Trouble problem={problem} again={read.reload} />;
  if (plan === undefined) return <Loading />;
  return (
    <Steps
      plan={plan}
      reload={read.reload}
      destroy={(volume) => setVolumes([...volumes, volume])}
      keep={volumes.length === 0 ? null : () => setVolumes([])}
    />
  );
}

function Steps(
  { plan, reload, destroy, keep }: {
    readonly plan: PlanModel;
    readonly reload: () => void;
    /** Plans again, with this volume removed. */
    readonly destroy: (volume: string) => void;
    /** Plans again, with no volume removed; null where none is. */
    readonly keep: (() => void) | null;
  },
) {
  const [isAsking, setAsking] = useState(false);
  const { steps, blocked, warnings, missing, unchanged, workspace, group } = plan;
  const interrupting = steps.filter(({ risk }) => risk === "interruption").length;
  const lost = lostBy(plan);
  const isReady = steps.length > 0 && blocked.length === 0 && missing.length === 0;
  return (
    <section aria-labelledby="steps">
      <div class="section-head">
        <h2 id="steps">{steps.length === 0 ? TEXT.nothing : TEXT.steps(steps.length)}</h2>
        <span class="screen-end">
          {keep !== null && <button type="button" class="button" onClick={keep}>{TEXT.keepData}</button>}
          <button type="button" class="button" onClick={reload}>{TEXT.again}</button>
          <Act permission="projects:apply" kind="is-main" disabled={!isReady} act={() => setAsking(true)}>
            {TEXT.apply}
          </Act>
        </span>
      </div>
      {unchanged > 0 && <p class="hint">{TEXT.unchanged(unchanged)}</p>}
      <Notes title={TEXT.blocked} notes={blocked} workspace={workspace} />
      <Notes title={TEXT.warnings} notes={warnings} workspace={workspace} />
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
          title={TEXT.apply}
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
  { title, notes, workspace }: {
    readonly title: string;
    readonly notes: readonly Diagnostic[];
    readonly workspace: string;
  },
) {
  if (notes.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="rows">
        {notes.map(({ message, location, code, subject }) => (
          <li class="row diagnostic" key={`${code} ${subject} ${message}`}>
            <span class="diagnostic-message">{shown(message)}</span>
            {location !== null && <Place place={startOf(location)} workspace={workspace} />}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The newest applies of the workspace. */
function Journal({ workspace }: { readonly workspace: string }) {
  const read = useResource(may("projects:plan") ? `applies ${workspace}` : null, async (signal) => {
    return (await client.get(APPLIES, { query: { workspace, limit: 20 }, signal })).json().items;
  });
  const items = read.value.value;
  if (items === undefined) return null;
  return (
    <section aria-labelledby="journal">
      <h2 id="journal">{TEXT.journal}</h2>
      {items.length === 0 && <p class="hint">{TEXT.journalEmpty}</p>}
      <ul class="rows">
        {items.map(({ id, group, action, state, by, createdAt, reason }) => (
          <li class="row journal-row" key={id}>
            <a href={`/applies/${encodeURIComponent(id)}`}>
              {TEXT.actions[action]} {shown(group)}
            </a>
            <ApplyMark apply={{ state, reason }} />
            <span class="quiet">{words.moment(Date.parse(createdAt))} {shown(TEXT.by(by))}</span>
            {reason !== null && <span class="hint">{shown(reason)}</span>}
          </li>
        ))}
      </ul>
    </section>
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
