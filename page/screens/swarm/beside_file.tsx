/** The differences of a service from its file, each with its line, and the ways to the project and its plan. */
import type { Difference, Unit } from "../../live/overview.ts";
import type { SwarmService } from "../../../client/berth/services.ts";
import { type DeclaredService, useDeclared } from "../../live/declared_service.ts";
import { planHref, projectHref } from "../../live/projects.ts";
import { may } from "../../live/session.ts";
import { Facing } from "../../parts/facing.tsx";
import { Place } from "../../parts/place.tsx";
import { shown } from "../../parts/shown.ts";
import { Sign } from "../../parts/sign.tsx";
import { Trouble } from "../../parts/states.tsx";
import { words } from "../../words/en_later.ts";

const TEXT = words.swarm;

/** Differences that are shown at once. */
const FIRST = 8;

/** Nothing where no file that the caller may see declares the service. */
export function BesideFile({ service }: { readonly service: SwarmService }) {
  const read = useDeclared(service);
  const declared = read.value.value;
  const problem = read.problem.value;
  return (
    <>
      {problem !== null && <Trouble problem={problem} again={read.reload} />}
      {declared && <Beside declared={declared} isStale={service.staleSince !== null} />}
    </>
  );
}

function Beside(
  { declared: { unit, project, mayPlan }, isStale }: {
    readonly declared: DeclaredService;
    readonly isStale: boolean;
  },
) {
  const { verdict, differences, notCompared } = unit;
  const differs = differences.length > 0;
  const place = may("workspaces:read") ? { project: project.id } : {};
  const rest = differences.slice(FIRST);
  return (
    <section aria-labelledby="service-file">
      <header class="beside-head">
        {/* One that does not run as it should has no sign of being well. */}
        {(differs || notCompared !== null || verdict === "asWritten") && (
          <Sign verdict={isStale ? "unknown" : differs ? "differs" : verdict} />
        )}
        <h2 id="service-file">{TEXT.besideFile(differences.length, notCompared !== null)}</h2>
        <a class="link" href={`${projectHref(project.id)}?unit=${encodeURIComponent(unit.name)}`}>
          {shown(TEXT.toProject(project.name))}
        </a>
        {mayPlan && differs && !isStale && (
          <a class="button" href={planHref(project.id)}>{words.projects.bring}</a>
        )}
      </header>
      <Told unit={unit} />
      {!differs && (
        <p>
          <Place place={unit.place} {...place} />
        </p>
      )}
      <Rows differences={differences.slice(0, FIRST)} place={place} />
      {rest.length > 0 && (
        <details>
          <summary>{TEXT.moreDifferences(rest.length)}</summary>
          <Rows differences={rest} place={place} />
        </details>
      )}
    </section>
  );
}

/** The reason that something was not compared, and the rollback after which what failed is a difference. */
function Told({ unit: { notCompared, service } }: { readonly unit: Unit }) {
  const { at, reason } = service?.rolledBack ?? {};
  return (
    <>
      {reason !== undefined && (
        <p class="finding-detail">
          {shown(words.unit.rolledBack(at ? words.time(Date.parse(at)) : null, reason))}
        </p>
      )}
      {notCompared !== null && <p class="finding-detail">{shown(notCompared)}</p>}
    </>
  );
}

function Rows(
  { differences, place }: {
    readonly differences: readonly Difference[];
    readonly place: { readonly project?: string };
  },
) {
  return (
    <>
      {differences.map((one) => (
        <Facing key={one.field} {...one}>
          <Place place={one.place} {...place} />
        </Facing>
      ))}
    </>
  );
}
