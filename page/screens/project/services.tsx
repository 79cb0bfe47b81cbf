/** The services of a project beside what runs of them; of one that only runs, its containers. */
import { useState } from "preact/hooks";
import type { UnitService } from "../../../client/berth/models.ts";
import type { ProjectContainer } from "../../../client/berth/projects.ts";
import type { Unit } from "../../live/overview.ts";
import { type Project, readProject } from "../../live/projects.ts";
import { may } from "../../live/session.ts";
import { UnitBeside } from "../../parts/beside.tsx";
import { containerHref } from "../../parts/container_href.ts";
import { LaterMeasured } from "../../parts/later.tsx";
import { ShowValues } from "../../parts/show_values.tsx";
import { shown } from "../../parts/shown.ts";
import { Sign } from "../../parts/sign.tsx";
import { Empty } from "../../parts/states.tsx";
import { UnitRow, Ways } from "../../parts/unit_row.tsx";
import { query } from "../../router.ts";
import { SIGN_OF } from "../../verdict.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.project;

export function Services({ project, revision }: { readonly project: Project; readonly revision: string }) {
  const asked = query.value.get("unit");
  if (project.workspace === null) return <OnlyRuns project={project} />;
  if (project.units.length === 0) return <Empty title={words.workspace.noUnits} />;
  return <Declared project={project} revision={revision} asked={asked} />;
}

/** What was shown in clear is gone with the view, and when anything of the project is another. */
function Declared(
  { project, revision, asked }: {
    readonly project: Project;
    readonly revision: string;
    readonly asked: string | null;
  },
) {
  const [clear, setClear] = useState<{ readonly project: Project; readonly revision: string } | null>(null);
  const { id, name, units, revision: current } = project;
  const revealed = clear?.revision === current ? clear.project : null;
  return (
    <>
      {may("artifacts:reveal") && units.some(hasVariables) && (
        <p class="reveal">
          <ShowValues
            permission="artifacts:reveal"
            isShown={revealed !== null}
            show={async () =>
              setClear({ project: await readProject(id, undefined, true), revision: current })}
            mask={() => setClear(null)}
          />
        </p>
      )}
      <ul class="findings" aria-label={TEXT.servicesOf(shown(name))}>
        {(revealed ?? project).units.map((unit) => (
          <UnitRow unit={unit} project={id} isOpen={unit.name === asked} key={unit.id}>
            <Runs unit={unit} />
            {unit.name === asked && <UnitBeside unit={unit} revision={revision} isAsked />}
          </UnitRow>
        ))}
      </ul>
    </>
  );
}

const hasVariables = ({ image, differences }: Unit): boolean =>
  image?.includes("$") === true || differences.some(({ declared }) => declared.includes("$"));

/** The image of a unit, and its containers with what they use. */
function Runs({ unit: { image, resolved, containers, service } }: { readonly unit: Unit }) {
  return (
    <div class="unit-runs">
      {image !== null && <code class="quiet">{shown(resolved ?? image)}</code>}
      {service !== undefined && <Kept service={service} />}
      {containers.map((one) => (
        <span key={`${one.backend} ${one.id}`}>
          <a href={containerHref(one)}>{shown(one.name)}</a>
          <Measures container={one} />
        </span>
      ))}
    </div>
  );
}

/** The service of a swarm, with its tasks in numbers. */
const Kept = ({ service: { name, running, desired } }: { readonly service: UnitService }) => (
  <a href="/swarm">{shown(name)} {words.number(running)}{desired !== null && `/${words.number(desired)}`}</a>
);

/** Nothing is compared, so each container has the sign of its own condition. */
function OnlyRuns({ project }: { readonly project: Project }) {
  const { containers, running, services } = project;
  return (
    <>
      <p class="lead">
        {TEXT.onlyRuns(running)} {project.swarm === null ? TEXT.onlyRunsLead : words.swarm.onlyStack}
      </p>
      {services.map((one) => (
        <p class="row" key={one.id}>
          <Kept service={one} />
        </p>
      ))}
      <ul class="findings" aria-label={TEXT.servicesOf(shown(project.name))}>
        {containers.toSorted(byName).map((one) => (
          <OnlyRunning key={`${one.backend} ${one.id}`} container={one} />
        ))}
      </ul>
    </>
  );
}

/** `agent-9` before `agent-10`. */
const byName = (one: ProjectContainer, other: ProjectContainer): number =>
  one.name.localeCompare(other.name, undefined, { numeric: true });

function OnlyRunning({ container }: { readonly container: ProjectContainer }) {
  const verdict = SIGN_OF[container.condition];
  return (
    <li class={`finding is-${verdict}`}>
      <div class="finding-head">
        <Sign verdict={verdict} />
        <a class="finding-name" href={containerHref(container)}>{shown(container.name)}</a>
        <span class="finding-word">{words.state(container)}</span>
        <span class="finding-end">
          <Ways container={container} />
        </span>
      </div>
      <div class="finding-rest">
        {container.healthOutput !== null && (
          <span class="finding-detail">{shown(container.healthOutput)}</span>
        )}
        <div class="unit-runs">
          <code class="quiet">{shown(container.image)}</code>
          <Measures container={container} />
        </div>
      </div>
    </li>
  );
}

function Measures(
  { container: { backend, id, state } }: {
    readonly container: Pick<ProjectContainer, "backend" | "id" | "state">;
  },
) {
  if (state !== "running" || !may("containers:read")) return null;
  return (
    <span class="unit-measures">
      <LaterMeasured container={`${backend}/${id}`} />
    </span>
  );
}
