/** Which containers of units were started from elsewhere: files that only name a project give no rights over it. */
import { type Ownership, scopedProject } from "../../core/ownership.ts";
import type { Judged } from "./judge.ts";

/** Earlier results: they stay the same objects while nothing changes. */
const noted = new WeakMap<Judged, Judged>();

/** Notes the scopes of the containers that those of their unit do not reach. */
export async function withStarts(judged: readonly Judged[], ownership: Ownership): Promise<Judged[]> {
  const units = judged.filter(({ subject }) => subject.kind === "unit");
  for (const { containers } of units) for (const one of containers) ownership.startedFrom(one);
  await ownership.settle();
  return judged.map((one) => {
    const { kind, workspace, project } = one.subject;
    if (kind !== "unit") return one;
    const started = one.containers.find((container) =>
      ownership.startedFrom(container) !== workspace || scopedProject(container.compose) !== project
    );
    return started === undefined
      ? one
      : withElsewhere(one, ownership.startedFrom(started), scopedProject(started.compose));
  });
}

function withElsewhere(one: Judged, workspace: string | null, project: string | null): Judged {
  const known = noted.get(one);
  if (known?.elsewhere?.workspace === workspace && known.elsewhere.project === project) return known;
  const now = { ...one, elsewhere: { workspace, project } };
  noted.set(one, now);
  return now;
}
