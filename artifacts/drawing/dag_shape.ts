/** The shape of a drawing, as callers receive it. */

import { z } from "zod";
import { LiveNeeds, UnitLive } from "../live/live.ts";

/** A node as drawn. */
export const DagNode = z.object({
  id: z.string(),
  kind: z.enum(["group", "unit", "card", "network", "volume", "secret", "config", "model", "missing"]),
  label: z.string(),
  parent: z.string().nullable(),
  layer: z.int().nullable().describe("When it starts: 0 first; null for what does not start"),
  order: z.int().describe("Its place within its layer"),
  cycle: z.int().nullable().describe("The number of the cycle it is part of"),
  data: z.object({
    image: z.string().nullable().optional(),
    ports: z.array(z.string()).optional(),
    profiles: z.array(z.string()).optional(),
    active: z.boolean().optional(),
    card: z.string().nullable().optional(),
  }),
  live: UnitLive.nullable().optional(),
  diagnostics: z.object({ error: z.int(), warning: z.int() }),
  source: z.object({ file: z.string(), line: z.int(), column: z.int() }).nullable(),
}).meta({ id: "DagNode" });
export type DagNode = z.infer<typeof DagNode>;

/** An edge as drawn: the source depends on the target. */
export const DagEdge = z.object({
  id: z.string(),
  source: z.string(),
  target: z.string(),
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
  ]),
  condition: z.string().optional(),
  required: z.boolean().optional(),
  restart: z.boolean().optional(),
  access: z.enum(["ro", "rw"]).optional(),
  implicit: z.boolean(),
  inCycle: z.boolean(),
  unresolved: z.boolean(),
}).meta({ id: "DagEdge" });
export type DagEdge = z.infer<typeof DagEdge>;

/** A whole drawing. */
export const Dag = z.object({
  schemaVersion: z.literal(1),
  view: z.enum(["all", "groups"]).describe("`groups`: only groups, and what lies between them"),
  workspace: z.string(),
  revision: z.string(),
  acyclic: z.boolean(),
  direction: z.literal("dependent->dependency"),
  nodes: z.array(DagNode),
  edges: z.array(DagEdge),
  stats: z.object({
    nodes: z.int(),
    edges: z.int(),
    layers: z.int(),
    width: z.int().describe("How many units the widest layer has"),
    components: z.int(),
    cycles: z.int(),
  }),
  layers: z.array(z.array(z.string())),
  cycles: z.array(z.array(z.string())),
  liveNeeds: LiveNeeds.optional(),
}).meta({ id: "Dag" });
export type Dag = z.infer<typeof Dag>;
