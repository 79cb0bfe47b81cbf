/** One project in full: its units and containers, its files, and what the caller may do with it. */
import * as z from "../core/schema.ts";
import { type CorePermission, Permission, type Principal, reachOf, type Subject } from "../core/access.ts";
import { type Ownership, subjectOf } from "../core/ownership.ts";
import { Remedy } from "../core/remedy.ts";
import type { ContainerRuntime, Holdings, RunningContainer, RuntimeAct } from "../core/runtime.ts";
import { rollbackOf } from "../artifacts/live/stacks.ts";
import { UnitService } from "../artifacts/live/live.ts";
import type { Group } from "../artifacts/artifact.ts";
import { namedBy } from "../artifacts/compose/named_files.ts";
import { containerOf, OverviewContainer, OverviewUnit } from "./compared.ts";
import type { Known } from "./project_list.ts";
import { ProjectRow } from "./project_rows.ts";

/** Files of one project. */
const MOST_FILES = 200;

const Container = OverviewContainer.extend({
  imageId: z.string().describe("The id of its image, a digest"),
  ports: z.array(z.object({
    host: z.int().describe("The port of the host"),
    protocol: z.string().describe("`tcp`, `udp` or `sctp`"),
    address: z.string().nullable().describe("The host's address that it is published on"),
  })).describe("Its published ports"),
}).meta({ id: "ProjectContainer" });

const ProjectUnit = OverviewUnit.extend({
  containers: z.array(Container).describe("Its containers"),
}).meta({ id: "ProjectUnit" });

/** What somebody may do with a project, and the permission for it. */
const ACTS = {
  plan: { needs: "projects:plan", of: "declaration" },
  apply: { needs: "projects:apply", of: "declaration" },
  write: { needs: "workspaces:files", of: "workspace" },
  logs: { needs: "readLogs", of: "containers" },
  shell: { needs: "runCommand", of: "containers" },
  resume: { needs: "controlContainer", of: "containers" },
} as const satisfies Record<
  string,
  { needs: CorePermission; of: "declaration" | "workspace" } | { needs: RuntimeAct; of: "containers" }
>;

const Act = z.object({
  act: z.enum(Object.keys(ACTS) as [keyof typeof ACTS, ...(keyof typeof ACTS)[]]) // it has some
    .describe("`write` is to its files, `resume` is of a paused container"),
  permission: Permission.describe("The permission that it takes"),
  allowed: z.boolean().describe("True if the caller holds it here"),
}).meta({ id: "ProjectAct" });

export const ProjectDetail = ProjectRow.extend({
  units: z.array(ProjectUnit).describe("Its units, in the order of the file"),
  containers: z.array(Container).describe("Containers that none of its units declares"),
  services: z.array(UnitService).describe("Of a stack that only runs: its services"),
  files: z.array(z.object({
    path: z.string().describe("Below the workspace's folder"),
    kind: z.enum(["compose", "native", "env", "secret", "config", "mounted"]).describe(
      "The kind of the file",
    ),
  })).describe("The files that it is declared in, and those that they name in the workspace"),
  acts: z.array(Act).describe("Possible acts, each with the caller's permission for it"),
  remedies: z.array(Remedy).describe(
    "Of one that only runs: registering its folder, where that is allowed and the caller holds `workspaces:write`",
  ),
}).meta({ id: "ProjectDetail" });
type ProjectDetail = z.input<typeof ProjectDetail>;

interface Around {
  readonly principal: Principal;
  readonly ownership: Ownership;
  readonly ports: Holdings["ports"];
  /** Null while no plugin has engines. */
  readonly runtime: Pick<ContainerRuntime, "permissionFor"> | null;
  readonly remedies: readonly Remedy[];
}

export function detailOf(
  row: ProjectRow,
  { declared, containers, services = [] }: Known,
  around: Around,
): ProjectDetail {
  const ports = Map.groupBy(around.ports, keyOfPort);
  const running = new Map(containers.map((one) => [keyOf(one), one]));
  const inFull = (one: z.input<typeof OverviewContainer>): z.input<typeof Container> => ({
    ...one,
    imageId: running.get(keyOf(one))?.imageId ?? "",
    ports: (ports.get(keyOf(one)) ?? []).map(({ host, protocol, address }) => ({ host, protocol, address })),
  });
  const units = (declared?.units ?? []).map((unit) => ({ ...unit, containers: unit.containers.map(inFull) }));
  const ofUnits = new Set(units.flatMap(({ containers }) => containers.map(keyOf)));
  return {
    ...row,
    units,
    containers: containers.filter((one) => !ofUnits.has(keyOf(one))).map(containerOf).map(inFull),
    services: services.map(({ service, cluster }) => {
      const { id, name, mode, desired, running, staleSince } = service;
      return { id, name, cluster, mode, desired, running, staleSince, rolledBack: rollbackOf(service) };
    }),
    files: declared === null ? [] : filesOf(declared.group),
    acts: actsOf(row, containers, around),
    remedies: [...around.remedies],
  };
}

const keyOf = ({ backend, id }: Pick<RunningContainer, "backend" | "id">) => `${backend} ${id}`;
const keyOfPort = ({ backend, container }: Holdings["ports"][number]) => `${backend} ${container}`;

/** Returns the files of a group below the workspace's folder, each once. */
export function filesOf(group: Group): ProjectDetail["files"] {
  const { sources, envFiles } = group;
  const found = new Map<string, ProjectDetail["files"][number]["kind"]>();
  for (const { path } of envFiles) found.set(path, "env");
  for (const { path, kind } of sources) {
    if (kind === "compose" || kind === "native" || kind === "env") found.set(path, kind);
  }
  for (const [path, kind] of namedBy(group)) if (!found.has(path)) found.set(path, kind);
  return [...found].map(([path, kind]) => ({ path, kind })).slice(0, MOST_FILES);
}

/** Returns the acts that the project has: one that only runs has no plan and no files. */
function actsOf(
  { workspace, project }: ProjectRow,
  containers: readonly RunningContainer[],
  { principal, ownership, runtime }: Around,
): ProjectDetail["acts"] {
  const declaration = { workspace: workspace?.id ?? null, project };
  const subjects: Readonly<Record<"declaration" | "workspace" | "containers", readonly Subject[]>> = {
    declaration: [declaration],
    workspace: [{ workspace: workspace?.id ?? null }],
    containers: containers.length === 0 ? [declaration] : containers.map((one) => subjectOf(one, ownership)),
  };
  return Object.entries(ACTS).flatMap(([act, one]) => {
    if (one.of === "containers" ? runtime === null : workspace === null) return [];
    const permission: Permission = one.of === "containers" ? runtime!.permissionFor(one.needs) : one.needs; // it is there
    const reach = reachOf<Permission>(principal, permission);
    const allowed = subjects[one.of].every((subject) => reach.has(subject));
    return [{ act: act as keyof typeof ACTS, permission, allowed }];
  });
}
