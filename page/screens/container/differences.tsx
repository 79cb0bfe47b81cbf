/** A container beside the unit that declares it. */
import type { ContainerDetail } from "../../../client/berth/containers.ts";
import { type Difference, readUnit, startOf, type Unit } from "../../live/overview.ts";
import { useResource } from "../../live/resource.ts";
import { may } from "../../live/session.ts";
import { UnitBeside } from "../../parts/beside.tsx";
import { Reading } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty } from "../../parts/states.tsx";
import { words } from "../../words/en_later.ts";

export function Differences({ container }: { readonly container: ContainerDetail }) {
  const { workspace } = container;
  if (workspace?.unit === null || workspace?.unit === undefined) {
    return <Empty title={words.container.undeclared} />;
  }
  return <Declared workspace={workspace.id} name={workspace.unit} container={container} />;
}

function Declared(
  { workspace, name, container }: {
    readonly workspace: string;
    readonly name: string;
    readonly container: ContainerDetail;
  },
) {
  const read = useResource(
    may("artifacts:read") ? `unit ${workspace} ${name}` : null,
    (signal) => readUnit(workspace, name, signal),
  );
  return (
    <Reading read={read} permission="artifacts:read" isPart>
      {({ id, live = null, image, source }) => {
        const differences: readonly Difference[] = (live?.drift ?? [])
          .filter((one) => one.container === null || one.container === container.name)
          .map((one) => ({ ...one, place: startOf(one.location) }));
        const unit: Unit = {
          ...{ id, workspace, name, image, differences, containers: [container] },
          desired: live?.desired ?? null,
          verdict: live === null ? "unknown" : live.verdict ?? "asWritten",
          notCompared: live?.notCompared ?? null,
          place: startOf(source),
        };
        return (
          <>
            {differences.length === 0 && (
              <Empty title={shown(unit.notCompared ?? words.container.noDifferences)} />
            )}
            <UnitBeside unit={unit} revision={container.id} isAsked={false} />
          </>
        );
      }}
    </Reading>
  );
}
