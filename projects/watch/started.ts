/** Which containers of units were started from elsewhere: files that only name a project give no rights over it. */
import { type Ownership, subjectOf } from "../../core/ownership.ts";
import type { Judged } from "./judge.ts";

/** Notes the scopes of the containers that those of their unit do not reach. */
export async function withStarts(judged: readonly Judged[], ownership: Ownership): Promise<Judged[]> {
  const units = judged.filter(({ subject }) => subject.kind === "unit");
  for (const { containers } of units) for (const one of containers) ownership.startedFrom(one);
  await ownership.settle();
  return judged.map((one) => {
    const { kind, workspace, project } = one.subject;
    if (kind !== "unit") return one;
    const elsewhere = one.containers.map((container) => subjectOf(container, ownership))
      .find((started) => started.workspace !== workspace || started.project !== project);
    return elsewhere === undefined ? one : {
      ...one,
      elsewhere: { workspace: elsewhere.workspace ?? null, project: elsewhere.project ?? null },
    };
  });
}
