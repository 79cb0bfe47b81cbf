/** The containers of a project beside the units that they stand for, each compared with its unit. */

import type { Group } from "../../artifacts/artifact.ts";
import type { ContainerRuntime, InspectedContainer, RunningContainer } from "../../core/runtime.ts";
import type { Declared } from "../fields/field.ts";
import type { FieldDifference } from "../fields/table.ts";
import { withoutLeftovers } from "./leftovers.ts";

/** A container of the project, and how it differs from its unit. */
export interface Member {
  readonly container: InspectedContainer;
  readonly differences: readonly FieldDifference[];
  /** Said, and no differences. */
  readonly remarks: readonly FieldDifference[];
}

/** Containers that are inspected at a time. */
const AT_ONCE = 8;

interface Sorted {
  /** The containers to compare, in order of their numbers. */
  readonly jobs: readonly RunningContainer[];
  /** Still without their differences. */
  readonly members: Map<string, Member[]>;
  readonly leftovers: Map<string, RunningContainer[]>;
  readonly orphans: RunningContainer[];
}

/** Sorts the project's containers by the units that they stand for or were left by. */
export function sorted({ units }: Group, containers: readonly RunningContainer[]): Sorted {
  const services = new Map(units.map(({ label, service }) => [label, service]));
  const members = new Map<string, Member[]>();
  const leftovers = new Map<string, RunningContainer[]>();
  const orphans: RunningContainer[] = [];
  const { standing: jobs, left } = withoutLeftovers([...containers].sort(byNumber));
  for (const container of jobs) {
    const label = container.compose!.service; // only labelled ones are joined
    if (services.get(label)) members.set(label, []);
    else orphans.push(container);
  }
  for (const container of left) {
    const label = container.compose!.service; // as above
    if (!services.get(label)) orphans.push(container);
    else {
      leftovers.set(label, [...leftovers.get(label) ?? [], container]);
      if (!members.has(label)) members.set(label, []);
    }
  }
  return { jobs, members, leftovers, orphans };
}

/** Inspects the containers, a few at a time, and puts each with its differences to its unit. */
export async function compareAll({ jobs, members, runtime, declared, compare }: {
  readonly jobs: readonly RunningContainer[];
  readonly members: ReadonlyMap<string, Member[]>;
  readonly runtime: Pick<ContainerRuntime, "inspect">;
  /** Returns the unit of that label; null for one that is no service. */
  readonly declared: (label: string) => Declared | null;
  readonly compare: (container: InspectedContainer, of: Declared) => Promise<readonly FieldDifference[]>;
}): Promise<void> {
  const compared = new Map<string, Member>();
  let next = 0;
  const work = async () => {
    for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
      const of = declared(job.compose!.service); // only labelled ones are joined
      if (of === null) continue;
      const container = await runtime.inspect(job.id, job.backend);
      if (container === null) continue; // It has gone since it was listed.
      const found = await compare(container, of);
      compared.set(job.id, {
        container,
        differences: found.filter(({ isRemark }) => !isRemark),
        remarks: found.filter(({ isRemark }) => isRemark),
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, jobs.length) }, work));
  for (const { id, compose } of jobs) {
    const member = compared.get(id);
    if (member !== undefined) members.get(compose!.service)?.push(member); // as above
  }
}

/** Returns the number that Compose gave a container of several; 0 for one without. */
export const numberOf = ({ labels }: Pick<RunningContainer, "labels">): number =>
  Number(labels["com.docker.compose.container-number"] ?? "") || 0;

const byNumber = (a: RunningContainer, b: RunningContainer): number =>
  numberOf(a) - numberOf(b) || (a.name < b.name ? -1 : 1);
