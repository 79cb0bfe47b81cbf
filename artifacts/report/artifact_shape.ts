/** The shapes of artifacts, as rows of a list and in full. */

import * as z from "../../core/schema.ts";
import { LiveNeeds, UnitLive } from "../live/live.ts";
import { ArtifactPlace, DiagnosticCounts, Range } from "../location.ts";
import { Diagnostic } from "./report_shape.ts";

/** A kind of artifact, as `?kind=` names it. */
export const ArtifactKind = z.enum(["group", "unit", "card"]).meta({ id: "ArtifactKind" });
export type ArtifactKind = z.infer<typeof ArtifactKind>;

/** A row of the list. */
export const ArtifactSummary = z.object({
  id: z.string().describe("Its id, as unit:shop.web"),
  kind: ArtifactKind.describe("Kind of artifact"),
  name: z.string().describe("Its name"),
  title: z.string().nullable().describe("Name for people"),
  group: z.string().nullable().describe("The id of a unit's group"),
  type: z.string().describe("A unit's type, a group's standing, a card's origin"),
  image: z.string().nullable().describe("A unit's image"),
  source: ArtifactPlace.describe("The place of its declaration"),
  diagnostics: DiagnosticCounts.describe("Counts of its findings"),
}).meta({ id: "ArtifactSummary" });
export type ArtifactSummary = z.infer<typeof ArtifactSummary>;

const Source = z.object({
  file: z.string().describe("Below the workspace's folder"),
  range: Range.describe("Position in the file"),
}).meta({ id: "ArtifactSource" });

const ReferenceOut = z.object({
  kind: z.string().describe("In which way it refers"),
  under: z.string().describe("The key it stands under"),
  written: z.string().describe("The name as its author wrote it"),
  target: z.string().nullable().describe("The id of what it means"),
  resolved: z.boolean().describe("True if such an artifact exists"),
  implicit: z.boolean().describe("True if it follows from something else and is not written anywhere"),
  condition: z.string().optional().describe("The condition that a dependency waits for"),
  required: z.boolean().optional().describe("True if a dependency must exist"),
  restart: z.boolean().optional().describe("True if it restarts with its dependency"),
  access: z.enum(["ro", "rw"]).optional().describe("True if it may write"),
  source: Source.describe("The place in the file"),
}).meta({ id: "ArtifactReference" });

const ReferenceIn = z.object({
  kind: z.string().describe("In which way it is referred to"),
  from: z.string().describe("The id of what refers to it"),
  under: z.string().describe("The place in the declaration"),
  source: Source.describe("The place in the file"),
}).meta({ id: "ArtifactReferrer" });

const common = {
  id: z.string().describe("Its id, as unit:shop.web"),
  name: z.string().describe("Its name"),
  title: z.string().nullable().describe("Name for people"),
  description: z.string().nullable().describe("Description by its author"),
  source: Source.describe("The place of its declaration"),
  yaml: z.string().nullable().describe(
    "As the author wrote it, comments and all, secrets masked; null where there is none",
  ),
  yamlLine: z.int().nullable().describe(
    "The line of the file that it begins with: lines, and columns up to a mask, are those of the file",
  ),
  masked: z.boolean().describe("Something in `yaml` is masked; `?reveal=true` shows it"),
  references: z.array(ReferenceOut).describe("Its references"),
  referencedBy: z.array(ReferenceIn).describe("References to it"),
  diagnostics: z.array(Diagnostic).describe("Its findings"),
};

/** A group in full. */
export const GroupDetail = z.object({
  kind: z.literal("group").describe("Kind of artifact"),
  ...common,
  project: z.string().describe("The name that the engine's labels have"),
  folder: z.string().describe("Below the workspace's folder"),
  standing: z.enum(["main", "included", "variant", "fragment"]).describe(
    "True if it is a group of its own and not a part of another",
  ),
  includedBy: z.array(z.string()).describe("The groups that include it"),
  files: z.array(z.string()).describe("The files it is made of, in order"),
  profiles: z.array(z.string()).describe("The profiles it knows"),
  units: z.array(z.string()).describe("The ids of its units"),
  resources: z.array(z.object({
    id: z.string().describe("Its id in the graph"),
    kind: z.enum(["network", "volume", "secret", "config", "model"]).describe("Kind of artifact"),
    key: z.string().describe("Its key in the file"),
    name: z.string().nullable().describe("Its name on the engine, if it is known"),
    external: z.boolean().describe("True if it is created elsewhere"),
  })).describe("Networks, volumes and the like that it declares"),
  incomplete: z.boolean().describe("True if a part of it could not be read"),
  live: UnitLive.nullable().optional().describe("Its running containers; null without an engine"),
  liveNeeds: LiveNeeds.optional().describe("Permissions that the caller needs to see running containers"),
}).meta({ id: "GroupDetail" });

/** A unit in full. */
export const UnitDetail = z.object({
  kind: z.literal("unit").describe("Kind of artifact"),
  ...common,
  group: z.string().nullable().describe("The id of its group"),
  type: z.string().describe("Kind of unit"),
  image: z.string().nullable().describe("The image it runs"),
  build: z.boolean().describe("True if its image is built"),
  containerName: z.string().nullable().describe("The name its container must have"),
  profiles: z.array(z.string()).describe("The profiles that switch it on"),
  active: z.boolean().describe("True if it starts with the active profiles"),
  replicas: z.int().nullable().describe("Number of containers it asks for"),
  restart: z.string().nullable().describe("Restart policy"),
  ports: z.array(z.string()).describe("The ports it publishes"),
  mounts: z.array(z.object({
    type: z.string().describe("Kind of mount"),
    source: z.string().nullable().describe("Source of the mount"),
    target: z.string().nullable().describe("Path in the container"),
    readOnly: z.boolean().describe("True if it is read-only"),
  })).describe("Its mounts"),
  environment: z.array(z.object({
    name: z.string().describe("The variable's name"),
    value: z.string().nullable().describe(
      "Masked; null where nothing sets it, or a variable in it is not set",
    ),
    from: z.enum(["environment", "env_file", "variable"]).describe(
      "`variable`: named without a value, it has that of the project's variable",
    ),
    file: z.string().describe("The file that sets or names it"),
  })).describe("Its variables, masked"),
  healthcheck: z.enum(["declared", "disabled", "none"]).describe("True if it declares a health check"),
  live: UnitLive.nullable().optional().describe("Its running containers; null without an engine"),
  liveNeeds: LiveNeeds.optional().describe("Permissions that the caller needs to see running containers"),
}).meta({ id: "UnitDetail" });

/** A card in full. */
export const CardDetail = z.object({
  kind: z.literal("card").describe("Kind of artifact"),
  ...common,
  origin: z.enum(["native", "backstage", "x-card", "readme"]).describe("The kind of file it comes from"),
  owner: z.string().nullable().describe("Its owner"),
  lifecycle: z.string().nullable().describe("Its life cycle, in its author's word"),
  tags: z.array(z.string()).describe("Words to find it by"),
  links: z.array(
    z.object({
      url: z.string().describe("The address"),
      title: z.string().nullable().describe("Its links"),
    }),
  ).describe("Links to further reading"),
  runbook: z.string().nullable().describe("The address of what to do when it fails"),
  subject: z.string().nullable().describe("The id of what it describes"),
}).meta({ id: "CardDetail" });
