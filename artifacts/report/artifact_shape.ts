/** The shapes of artifacts, as rows of a list and in full. */

import { z } from "zod";
import { LiveNeeds, UnitLive } from "../live/live.ts";
import { Range } from "../location.ts";
import { Diagnostic } from "./report_shape.ts";

/** A kind of artifact, as `?kind=` names it. */
export const ArtifactKind = z.enum(["group", "unit", "card"]).meta({ id: "ArtifactKind" });
export type ArtifactKind = z.infer<typeof ArtifactKind>;

/** A row of the list. */
export const ArtifactSummary = z.object({
  id: z.string(),
  kind: ArtifactKind,
  name: z.string(),
  title: z.string().nullable(),
  group: z.string().nullable().describe("The id of a unit's group"),
  type: z.string().describe("A unit's type, a group's standing, a card's origin"),
  image: z.string().nullable(),
  source: z.object({ file: z.string(), line: z.int(), column: z.int() }),
  diagnostics: z.object({ error: z.int(), warning: z.int() }),
}).meta({ id: "ArtifactSummary" });
export type ArtifactSummary = z.infer<typeof ArtifactSummary>;

const Source = z.object({ file: z.string(), range: Range });

const ReferenceOut = z.object({
  kind: z.string(),
  under: z.string().describe("The key it stands under"),
  written: z.string(),
  target: z.string().nullable().describe("The id of what it means"),
  resolved: z.boolean(),
  implicit: z.boolean(),
  condition: z.string().optional(),
  required: z.boolean().optional(),
  restart: z.boolean().optional(),
  access: z.enum(["ro", "rw"]).optional(),
  source: Source,
}).meta({ id: "ArtifactReference" });

const ReferenceIn = z.object({
  kind: z.string(),
  from: z.string().describe("The id of what refers to it"),
  under: z.string(),
  source: Source,
}).meta({ id: "ArtifactReferrer" });

const common = {
  id: z.string(),
  name: z.string(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  source: Source,
  yaml: z.string().nullable().describe(
    "As the author wrote it, comments and all, secrets masked; null where there is none",
  ),
  yamlLine: z.int().nullable().describe(
    "The line of the file that it begins with: lines, and columns up to a mask, are those of the file",
  ),
  masked: z.boolean().describe("Something in `yaml` is masked; `?reveal=true` shows it"),
  references: z.array(ReferenceOut),
  referencedBy: z.array(ReferenceIn),
  diagnostics: z.array(Diagnostic),
};

/** A group in full. */
export const GroupDetail = z.object({
  kind: z.literal("group"),
  ...common,
  project: z.string().describe("The name that the engine's labels have"),
  folder: z.string(),
  standing: z.enum(["main", "included", "variant", "fragment"]),
  includedBy: z.array(z.string()),
  files: z.array(z.string()),
  profiles: z.array(z.string()),
  units: z.array(z.string()),
  resources: z.array(z.object({
    id: z.string(),
    kind: z.enum(["network", "volume", "secret", "config", "model"]),
    key: z.string(),
    name: z.string().nullable(),
    external: z.boolean(),
  })),
  incomplete: z.boolean(),
  live: UnitLive.nullable().optional(),
  liveNeeds: LiveNeeds.optional(),
}).meta({ id: "GroupDetail" });

/** A unit in full. */
export const UnitDetail = z.object({
  kind: z.literal("unit"),
  ...common,
  group: z.string().nullable(),
  type: z.string(),
  image: z.string().nullable(),
  build: z.boolean(),
  containerName: z.string().nullable(),
  profiles: z.array(z.string()),
  active: z.boolean(),
  replicas: z.int().nullable(),
  restart: z.string().nullable(),
  ports: z.array(z.string()),
  mounts: z.array(z.object({
    type: z.string(),
    source: z.string().nullable(),
    target: z.string().nullable(),
    readOnly: z.boolean(),
  })),
  environment: z.array(z.object({
    name: z.string(),
    value: z.string().nullable().describe(
      "Masked; null where nothing sets it, or a variable in it is not set",
    ),
    from: z.enum(["environment", "env_file", "variable"]).describe(
      "`variable`: named without a value, it has that of the project's variable",
    ),
    file: z.string().describe("The file that sets or names it"),
  })),
  healthcheck: z.enum(["declared", "disabled", "none"]),
  live: UnitLive.nullable().optional(),
  liveNeeds: LiveNeeds.optional(),
}).meta({ id: "UnitDetail" });

/** A card in full. */
export const CardDetail = z.object({
  kind: z.literal("card"),
  ...common,
  origin: z.enum(["native", "backstage", "x-card", "readme"]),
  owner: z.string().nullable(),
  lifecycle: z.string().nullable(),
  tags: z.array(z.string()),
  links: z.array(z.object({ url: z.string(), title: z.string().nullable() })),
  runbook: z.string().nullable(),
  subject: z.string().nullable().describe("The id of what it describes"),
}).meta({ id: "CardDetail" });
