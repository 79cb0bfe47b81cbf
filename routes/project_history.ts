/** The latest events of one project: applies, saved files, and deaths of its containers. */
import * as z from "../core/schema.ts";
import { Permission, type Principal, reachOf } from "../core/access.ts";
import { type Ownership, subjectOf } from "../core/ownership.ts";
import { type Death, reachOfRunning, type RunningContainer } from "../core/runtime.ts";
import { runtimeSeen } from "../core/sight.ts";
import type { FileVersion, FileVersionStore } from "../core/store.ts";
import type { Applies } from "../projects/apply/applies.ts";
import { ApplySummary } from "../projects/apply/apply_shape.ts";
import type { ComparedOptions } from "./compared.ts";
import { filesOf } from "./project_detail.ts";
import type { Known } from "./project_list.ts";
import type { ProjectRow } from "./project_rows.ts";

/** Records that are told, and that are read of each kind. */
const MOST = 50;

const at = z.string().describe("RFC 3339");
const KINDS = ["apply", "file", "death"] as const;

export const ProjectHistory = z.object({
  items: z.array(z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("apply").describe("A plan was applied"),
      at: at.describe("When it began"),
      apply: ApplySummary.describe("The apply"),
    }),
    z.object({
      kind: z.literal("file").describe("A file was saved in berth"),
      at: at.describe("When it was saved"),
      path: z.string().describe("Below the workspace's folder"),
      version: z.int().describe("The id of the text that was there before"),
      by: z.string().describe("The user or key that saved it, by the name at that time"),
    }),
    z.object({
      kind: z.literal("death").describe("A container ended"),
      at: at.describe("When its engine told it"),
      container: z.string().describe("Its name"),
      service: z.string().nullable().describe("The service that its labels name"),
      engine: z.string().describe("The engine's name"),
      exitCode: z.int().nullable().describe("The code that it ended with"),
    }),
  ])).describe("Newest first, 50 at most"),
  missing: z.array(z.object({
    kind: z.enum(KINDS).describe("A kind that the caller may not see here"),
    permission: Permission.describe("The permission that it takes"),
  })).describe("The kinds that are left out"),
}).meta({ id: "ProjectHistory" });
type ProjectHistory = z.input<typeof ProjectHistory>;
type Item = ProjectHistory["items"][number];

/** The sources of a history beside the engines. */
export interface HistorySources {
  readonly applies: Pick<Applies, "list">;
  readonly versions: Pick<FileVersionStore, "newest">;
}

export async function historyOf(
  row: ProjectRow,
  known: Known,
  options: Pick<ComparedOptions, "runtime" | "sights"> & HistorySources,
  principal: Principal,
): Promise<ProjectHistory> {
  const items: Item[] = [];
  const missing: ProjectHistory["missing"] = [];
  const { workspace, name, project } = row;
  if (workspace !== null) {
    const { id } = workspace;
    const reach = reachOf(principal, "projects:plan");
    const isSeen = ({ backend }: { readonly backend?: string }) =>
      reach.has({ workspace: id, project, ...(backend !== undefined && { engine: backend }) });
    const query = { workspace: id, group: name, before: null, limit: MOST, state: null };
    const applies = reach.nowhere ? [] : (await options.applies.list(query)).filter(isSeen);
    items.push(...applies.map((apply): Item => ({ kind: "apply", at: apply.createdAt, apply })));
    if (applies.length === 0 && !isSeen({})) missing.push({ kind: "apply", permission: "projects:plan" });
    if (reachOf(principal, "workspaces:files").has({ workspace: id })) {
      const paths = known.declared === null ? [] : filesOf(known.declared.group).map(({ path }) => path);
      items.push(...(await options.versions.newest(id, paths, MOST)).map(saved));
    } else missing.push({ kind: "file", permission: "workspaces:files" });
  }
  const runtime = options.runtime();
  if (runtime !== null) {
    const permission: Permission = runtime.permissionFor("readEvents");
    const reach = reachOf<Permission>(principal, permission);
    const { ownership } = options.sights;
    const seen = runtimeSeen(runtime, options.sights.of(reachOfRunning(principal)));
    const isOwn = belongsTo(row, known, ownership);
    if (reach.nowhere) missing.push({ kind: "death", permission });
    else {
      const deaths = seen.deaths((one) => isOwn(one) && reach.has(subjectOf(one, ownership)), MOST);
      items.push(...deaths.map(died));
    }
  }
  items.sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  return { items: items.slice(0, MOST), missing };
}

/** Returns a test of containers that may be gone: by the labels of the project, and the files that they came from. */
function belongsTo(
  { workspace, name, project, engines }: ProjectRow,
  { containers }: Known,
  ownership: Ownership,
): (container: RunningContainer) => boolean {
  const projects = new Set([project, ...containers.flatMap(({ compose }) => compose?.project ?? [])]);
  const ids = new Set(containers.map(({ backend, id }) => `${backend} ${id}`));
  return (one) => {
    if (ids.has(`${one.backend} ${one.id}`)) return true;
    if (one.compose === null || !projects.has(one.compose.project)) return false;
    const owner = ownership.groupOf(one);
    if (workspace === null) return owner === null && engines.includes(one.backend);
    return owner?.workspace === workspace.id && owner.group === name;
  };
}

const saved = ({ at, path, id, by }: FileVersion): Item => ({
  kind: "file",
  at: new Date(at).toISOString(),
  path,
  version: id,
  by: by.name,
});

const died = ({ at, backend, container, exitCode }: Death): Item => ({
  kind: "death",
  at,
  container: container.name,
  service: container.compose?.service ?? null,
  engine: backend,
  exitCode,
});
