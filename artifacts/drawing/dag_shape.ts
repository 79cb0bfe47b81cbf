/** The shape of a drawing, as callers receive it. */

import { z } from "zod";
import { LiveNeeds, UnitLive } from "../live/live.ts";

/** A node as drawn. */
export const DagNode = z.object({
  id: z.string().describe("Its id in the graph"),
  kind: z.enum(["group", "unit", "card", "network", "volume", "secret", "config", "model", "missing"])
    .describe("What it is"),
  label: z.string().describe("What to write on it"),
  parent: z.string().nullable().describe("The group it is drawn in"),
  layer: z.int().nullable().describe("When it starts: 0 first; null for what does not start"),
  order: z.int().describe("Its place within its layer"),
  cycle: z.int().nullable().describe("The number of the cycle it is part of"),
  data: z.object({
    image: z.string().nullable().optional().describe("A unit's image"),
    ports: z.array(z.string()).optional().describe("The ports a unit publishes"),
    profiles: z.array(z.string()).optional().describe("The profiles that switch a unit on"),
    active: z.boolean().optional().describe("Whether a unit starts with the profiles that are active"),
    card: z.string().nullable().optional().describe("The card that describes it"),
  }).describe("What is worth showing of it"),
  live: UnitLive.nullable().optional().describe("What runs of it; null without an engine"),
  diagnostics: z.object({
    error: z.int().describe("How many errors"),
    warning: z.int().describe("How many warnings"),
  }).describe("What is wrong with it, counted"),
  source: z.object({
    file: z.string().describe("Below the workspace's folder"),
    line: z.int().describe("The line, from 1"),
    column: z.int().describe("The column, from 1"),
  }).nullable().describe("Where it is declared"),
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
  condition: z.string().optional().describe("What a dependency waits for"),
  required: z.boolean().optional().describe("Whether the other must be there"),
  restart: z.boolean().optional().describe("Whether it restarts with the other"),
  access: z.enum(["ro", "rw"]).optional().describe("Whether it may write"),
  implicit: z.boolean().describe("Whether it is written nowhere"),
  inCycle: z.boolean().describe("Whether it is part of a cycle"),
  unresolved: z.boolean().describe("Whether there is nothing at its end"),
}).meta({ id: "DagEdge" });
export type DagEdge = z.infer<typeof DagEdge>;

/** A whole drawing. */
export const Dag = z.object({
  schemaVersion: z.literal(1).describe("The shape of this answer"),
  view: z.enum(["all", "groups"]).describe("`groups`: only groups, and what lies between them"),
  workspace: z.string().describe("The workspace's id"),
  revision: z.string().describe("Changes whenever the folder's meaning does"),
  acyclic: z.boolean().describe("Whether there is no cycle"),
  direction: z.literal("dependent->dependency").describe("How edges run"),
  nodes: z.array(DagNode).describe("The nodes"),
  edges: z.array(DagEdge).describe("The edges"),
  stats: z.object({
    nodes: z.int().describe("How many nodes"),
    edges: z.int().describe("How many edges"),
    layers: z.int().describe("How many rows"),
    width: z.int().describe("How many units the widest layer has"),
    components: z.int().describe("How many parts that nothing connects"),
    cycles: z.int().describe("How many cycles"),
  }).describe("The graph in numbers"),
  layers: z.array(z.array(z.string())).describe("The nodes in the order they can start, row by row"),
  cycles: z.array(z.array(z.string())).describe("The nodes of each cycle"),
  liveNeeds: LiveNeeds.optional().describe("What the caller lacks to see what runs"),
}).meta({ id: "Dag" });
export type Dag = z.infer<typeof Dag>;
