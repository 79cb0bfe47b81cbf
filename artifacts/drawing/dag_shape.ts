/** The shape of a drawing, as callers receive it. */

import * as z from "../../core/schema.ts";
import { LiveNeeds, UnitLive } from "../live/live.ts";
import { ArtifactPlace, DiagnosticCounts } from "../location.ts";

/** A node as drawn. */
export const DagNode = z.object({
  id: z.string().describe("Its id in the graph"),
  kind: z.enum(["group", "unit", "card", "network", "volume", "secret", "config", "model", "missing"])
    .describe("Kind of node"),
  label: z.string().describe("Label to draw"),
  parent: z.string().nullable().describe("The group it is drawn in"),
  layer: z.int().nullable().describe("When it starts: 0 first; null for what does not start"),
  order: z.int().describe("Its place within its layer"),
  cycle: z.int().nullable().describe("The number of the cycle it is part of"),
  data: z.object({
    image: z.string().nullable().optional().describe("A unit's image"),
    ports: z.array(z.string()).optional().describe("The ports a unit publishes"),
    profiles: z.array(z.string()).optional().describe("The profiles that switch a unit on"),
    active: z.boolean().optional().describe("True if a unit starts with the active profiles"),
    card: z.string().nullable().optional().describe("The card that describes it"),
  }).describe("Attributes worth showing"),
  live: UnitLive.nullable().optional().describe("Its running containers; null without an engine"),
  diagnostics: DiagnosticCounts.describe("Counts of its findings"),
  source: ArtifactPlace.nullable().describe("The place of its declaration"),
}).meta({ id: "DagNode" });
export type DagNode = z.infer<typeof DagNode>;

/** An edge as drawn: the source depends on the target. */
export const DagEdge = z.object({
  id: z.string().describe("The edge's id"),
  source: z.string().describe("The node that depends"),
  target: z.string().describe("The node it depends on"),
  kind: z.enum([
    "depends_on",
    "link",
    "namespace",
    "volumes_from",
    "build_context",
    "extends",
    "include",
    "requires",
    "uses",
    "describes",
    "shares",
  ]).describe("In which way it depends"),
  condition: z.string().optional().describe("The condition that a dependency waits for"),
  required: z.boolean().optional().describe("True if the other unit must exist"),
  restart: z.boolean().optional().describe("True if it restarts with the other unit"),
  access: z.enum(["ro", "rw"]).optional().describe("True if it may write"),
  implicit: z.boolean().describe("True if it is not written anywhere"),
  inCycle: z.boolean().describe("True if it is part of a cycle"),
  unresolved: z.boolean().describe("True if nothing exists at its end"),
}).meta({ id: "DagEdge" });
export type DagEdge = z.infer<typeof DagEdge>;

/** A whole drawing. */
export const Dag = z.object({
  schemaVersion: z.literal(1).describe("The shape of this answer"),
  view: z.enum(["all", "groups"]).describe("`groups`: only groups, and what lies between them"),
  workspace: z.string().describe("The workspace's id"),
  revision: z.string().describe("Changes whenever the folder's meaning does"),
  acyclic: z.boolean().describe("True if there is no cycle"),
  direction: z.literal("dependent->dependency").describe("Direction of the edges"),
  nodes: z.array(DagNode).describe("The nodes"),
  edges: z.array(DagEdge).describe("The edges"),
  stats: z.object({
    nodes: z.int().describe("Number of nodes"),
    edges: z.int().describe("Number of edges"),
    layers: z.int().describe("Number of layers"),
    width: z.int().describe("Number of units in the widest layer"),
    components: z.int().describe("Number of parts that nothing connects"),
    cycles: z.int().describe("Number of cycles"),
  }).describe("The graph in numbers"),
  layers: z.array(z.array(z.string())).describe("The nodes in the order they can start, row by row"),
  cycles: z.array(z.array(z.string())).describe("The nodes of each cycle"),
  liveNeeds: LiveNeeds.optional().describe("Permissions that the caller needs to see running containers"),
}).meta({ id: "Dag" });
export type Dag = z.infer<typeof Dag>;
