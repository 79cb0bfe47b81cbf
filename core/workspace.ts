/** Workspaces: the folders berth knows, as callers see them. */

import * as z from "./schema.ts";
import { NAME_FORM } from "./access.ts";
import { NewSource } from "./source.ts";

export const WorkspaceState = z.enum(["ready", "reading", "missing", "unreadable", "empty"]).describe(
  "`reading`: not read to the end yet, the counts are those so far; `missing`: the folder is gone, and comes " +
    "back by itself; `empty`: nothing in it is an artifact",
).meta({ id: "WorkspaceState" });
export type WorkspaceState = z.infer<typeof WorkspaceState>;

/** A workspace as other objects name it. */
export const WorkspaceRef = z.object({
  id: z.string().describe("The workspace's id"),
  name: z.string().describe("The workspace's name"),
}).meta({ id: "WorkspaceRef" });

const ArtifactCounts = z.object({
  groups: z.int().describe("Number of groups"),
  units: z.int().describe("Number of units"),
  cards: z.int().describe("Number of cards"),
}).meta({ id: "ArtifactCounts" });

export const FindingCounts = z.object({
  errors: z.int().describe("Number of errors"),
  warnings: z.int().describe("Number of warnings"),
}).meta({ id: "FindingCounts" });

export const Workspace = z.object({
  id: z.string().describe("A slug of the name"),
  name: z.string().describe("The folder's name, unless it was given another"),
  path: z.string().describe("The folder's real path"),
  createdAt: z.string().describe("RFC 3339"),
  allowHardLinks: z.boolean().describe("True if files with several hard links are read"),
  editable: z.boolean().describe("True if callers with `workspaces:files` may write to its files"),
  state: WorkspaceState.describe("State of the workspace"),
  counts: ArtifactCounts.describe("Counts of its artifacts"),
  problems: FindingCounts.describe("Counts of its findings"),
  revision: z.string().nullable().describe(
    "Changes when anything that was read does; null while nothing can be",
  ),
}).meta({ id: "Workspace" });
export type Workspace = z.infer<typeof Workspace>;

const FileKind = z.enum([
  "compose",
  "native",
  "backstage",
  "env",
  "settings",
  "readme",
  "secret",
  "config",
  "mounted",
  "other",
]).meta({
  id: "WorkspaceFileKind",
});

export const WorkspaceFile = z.object({
  path: z.string().describe("Below the workspace's folder"),
  kind: FileKind.describe(
    "The kind of file that it was read as: `secret`, `config` and `mounted` are files that projects name, `other` is " +
      "one that was created and that nothing names yet",
  ),
  sha256: z.string().describe("The checksum of what was read"),
  stale: z.boolean().describe("The last text that could be read stands in for a broken one"),
}).meta({ id: "WorkspaceFile" });
export type WorkspaceFile = z.infer<typeof WorkspaceFile>;

const GroupStanding = z.enum(["main", "included", "variant", "fragment"]).meta({
  id: "GroupStanding",
});

export const WorkspaceProject = z.object({
  name: z.string().describe("Docker's name of the project"),
  group: z.string().describe("The id of its group"),
  folder: z.string().describe("Below the workspace; empty for its root"),
  files: z.array(z.string()).describe("The files it is made of, in order"),
  profiles: z.array(z.string()).describe("The profiles that are active"),
  standing: GroupStanding.describe(
    "True if it is a group of its own and not a part of another",
  ),
}).meta({ id: "WorkspaceProject" });
export type WorkspaceProject = z.infer<typeof WorkspaceProject>;

export const WorkspaceDetail = Workspace.extend({
  complete: z.boolean().describe(
    "False where a limit was reached: its report says which, as `fs/limit-reached`",
  ),
  files: z.array(WorkspaceFile).describe("The files that were read"),
  projects: z.array(WorkspaceProject).describe("The Compose projects found"),
}).meta({ id: "WorkspaceDetail" });
export type WorkspaceDetail = z.infer<typeof WorkspaceDetail>;

export const NewWorkspace = z.strictObject({
  path: z.string().min(1).max(4096).describe("Absolute, inside one of the service's roots"),
  name: z.string().trim().min(1).max(100).regex(/^[^\p{Cc}]*$/u, "Expected no control characters").meta({
    pattern: NAME_FORM,
  }).optional()
    .describe("The folder's name unless given"),
  source: NewSource.optional().describe(
    "The repository that it follows from the beginning; a folder that is not there yet is made in the one above it",
  ),
}).meta({ id: "NewWorkspace", examples: [{ path: "/srv/projects/shop", name: "shop" }] });
export type NewWorkspace = z.infer<typeof NewWorkspace>;

export const WorkspaceChange = z.strictObject({
  allowHardLinks: z.boolean().describe(
    "A hard link may be another name of a file outside the workspace, so only allow them where everybody who can " +
      "write to the folder may read what berth reads",
  ).optional(),
  editable: z.boolean().describe(
    "The files decide what runs, so only allow writing where every caller with `workspaces:files` may decide " +
      "that",
  ).optional(),
}).refine(
  ({ allowHardLinks, editable }) => allowHardLinks !== undefined || editable !== undefined,
  'Expected "allowHardLinks" or "editable"',
).meta({
  id: "WorkspaceChange",
  minProperties: 1,
  examples: [{ editable: true }, { allowHardLinks: false }],
});
export type WorkspaceChange = z.infer<typeof WorkspaceChange>;
