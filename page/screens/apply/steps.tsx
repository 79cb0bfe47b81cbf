/** The text of a plan: what blocks it, what is good to know, what is missing, and its steps with their reasons. */
import type { Diagnostic, Plan } from "../../../client/berth/models.ts";
import { startOf } from "../../live/overview.ts";
import { Act } from "../../parts/act.tsx";
import { Place } from "../../parts/place.tsx";
import { shown } from "../../parts/shown.ts";
import { words } from "../../words/en_later.ts";
import { Hook } from "./hook.tsx";
import { changed } from "./plan_options.tsx";
import { type Choosing, Remedies } from "./remedies.tsx";
import { Reasons } from "./reasons.tsx";

const TEXT = words.applies;

/** A stack is planned by its services. */
const unchangedText = ({ backend, unchanged }: Plan): string =>
  backend.startsWith("swarm:") ? TEXT.unchangedServices(unchanged) : TEXT.unchanged(unchanged);

export function Steps({ plan, choosing }: { readonly plan: Plan; readonly choosing: Choosing }) {
  const { options, set } = choosing;
  const { steps, blocked, warnings, missing, unchanged, workspace } = plan;
  const project = `${plan.group}@${workspace}`;
  return (
    <>
      {unchanged > 0 && <p class="hint">{unchangedText(plan)}</p>}
      <Notes
        title={TEXT.blocked}
        notes={blocked}
        workspace={workspace}
        project={project}
        choosing={choosing}
      />
      <Notes
        title={TEXT.warnings}
        notes={warnings}
        workspace={workspace}
        project={project}
        choosing={choosing}
      />
      {missing.map(({ permission, subject, field, why, at }) => (
        <p class="trouble" key={`${permission} ${subject.project} ${field}`}>
          {shown(TEXT.lacks(permission, subject.project ?? subject.workspace ?? subject.engine))}
          {field !== undefined && (
            <span class="quiet">{shown(` ${field} ${why} (${at?.file}:${at?.range.start.line})`)}</span>
          )}
        </p>
      ))}
      <ol class="steps">
        {steps.map(({ n, kind, target, why, risk, ifChanged, optional, hook, within, digest }) => (
          <li class="step" key={n}>
            <p class="step-head">
              <span class="step-number">{n}</span>
              <span>{TEXT.kinds[kind]}</span> <strong>{shown(target)}</strong>
              {digest !== undefined && <code title={digest}>{digest.slice(0, 19)}</code>}
              {risk === "interruption" && <span class="quiet">{TEXT.interruption}</span>}
              {risk === "dataLoss" && <span class="trouble">{TEXT.dataLoss}</span>}
              {optional === true && <span class="quiet">{TEXT.optional}</span>}
              {ifChanged !== undefined && (
                <span class="quiet">{TEXT.onlyIf(...conditionsOf(steps, ifChanged))}</span>
              )}
            </p>
            {hook !== undefined && <Hook hook={hook} within={within} />}
            <Reasons why={why} workspace={workspace} project={project} />
          </li>
        ))}
      </ol>
      {set !== null && (
        <Keeps
          volumes={plan.keeps ?? []}
          destroy={(volume) => set(changed(options, "volumes", volume))}
        />
      )}
    </>
  );
}

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

function Notes(
  { title, notes, workspace, project, choosing }: {
    readonly title: string;
    readonly notes: readonly Diagnostic[];
    readonly workspace: string;
    readonly project: string;
    readonly choosing: Choosing;
  },
) {
  if (notes.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="rows">
        {notes.map(({ message, location, code, subject, remedies = [] }) => (
          <li class="row note" key={`${code} ${subject} ${message}`}>
            <span class="note-message">{shown(message)}</span>
            {location !== null && <Place place={startOf(location)} workspace={workspace} project={project} />}
            <Remedies remedies={remedies} choosing={choosing} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The numbers of the steps that a step depends on: pulls by their image, changes in place by the engine's refusal. */
function conditionsOf(
  steps: Plan["steps"],
  after: readonly number[],
): [images: string, refusals: string] {
  const isUpdate = (n: number) => steps.some((step) => step.n === n && step.kind === "container.update");
  return [after.filter((n) => !isUpdate(n)).join(", "), after.filter(isUpdate).join(", ")];
}
