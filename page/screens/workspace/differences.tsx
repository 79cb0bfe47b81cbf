/** Declared beside running: the units that differ, each by the author's own lines. */
import type { Unit } from "../../live/overview.ts";
import { UnitBeside } from "../../parts/beside.tsx";
import { Mark } from "../../parts/sign.tsx";
import { Empty } from "../../parts/states.tsx";
import { query } from "../../router.ts";
import { words } from "../../words/en_later.ts";

export function Differences(
  { units, revision }: { readonly units: readonly Unit[]; readonly revision: string },
) {
  const asked = query.value.get("unit");
  const isShown = (unit: Unit) =>
    unit.name === asked || unit.verdict !== "asWritten" && unit.verdict !== "completed";
  const listed = units.filter(isShown);
  if (units.length === 0) return <Empty title={words.workspace.noUnits} />;
  return (
    <>
      {listed.length === 0 && <Empty title={words.workspace.noDifferences(units.length)} />}
      {listed.map((unit) => (
        <UnitBeside key={unit.id} unit={unit} revision={revision} isAsked={unit.name === asked} />
      ))}
      {listed.length < units.length && listed.length > 0 && (
        <section class="well">
          <Mark verdict="asWritten">{words.workspace.wellRest(units.length - listed.length)}</Mark>
        </section>
      )}
    </>
  );
}
