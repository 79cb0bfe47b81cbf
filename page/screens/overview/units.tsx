/** The units of a project's row that is unfolded. */
import { useProject } from "../../live/projects.ts";
import { shown } from "../../parts/shown.ts";
import { Sign } from "../../parts/sign.tsx";
import { Loading, Trouble } from "../../parts/states.tsx";
import { serviceOf, UnitRow } from "../../parts/unit_row.tsx";
import type { Verdict } from "../../verdict.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.project;

/** Verdicts of units that need no line of their own. */
const WELL: readonly Verdict[] = ["asWritten", "completed"];

interface UnitsProps {
  /** The project's id. */
  readonly id: string;
  /** Of its row: the units are read again with another one. */
  readonly revision: string;
}

/** Lists the units; those that are well stand in one line. */
export function Units({ id, revision }: UnitsProps) {
  const read = useProject(id, revision);
  const project = read.value.value;
  const problem = read.problem.value;
  if (project === undefined) {
    return problem === null ? <Loading /> : <Trouble problem={problem} again={read.reload} />;
  }
  const bad = project.units.filter(({ verdict }) => !WELL.includes(verdict));
  const well = project.units.filter(({ verdict }) => WELL.includes(verdict));
  return (
    <ul class="findings project-units" aria-label={TEXT.servicesOf(shown(project.name))}>
      {bad.map((unit) => <UnitRow unit={unit} project={id} key={unit.id} />)}
      {well.length > 0 && (
        <li class="project-well">
          <Sign verdict="asWritten" /> {shown(well.map(({ name }) => serviceOf(name)).join(", "))}{" "}
          <span class="quiet">{words.verdict("asWritten")}</span>
        </li>
      )}
    </ul>
  );
}
