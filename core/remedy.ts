/** Remedies: what somebody can do about a message. The page shows each as a button, the command line as a flag. */

import * as z from "./schema.ts";

/** The options of a plan that a remedy may change. */
export const PLAN_FIELDS = [
  "action",
  "units",
  "backend",
  "pull",
  "build",
  "orphans",
  "recreate",
  "rerun",
  "volumes",
  "inPlace",
] as const;

export const Remedy = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("plan").describe("Ask for the plan again, with this option"),
    field: z.enum(PLAN_FIELDS).describe("The option, as a field of `PlanRequest`"),
    value: z.string().nullable().describe(
      "Its value, or a further entry of a list; null: without the option",
    ),
  }),
  z.object({
    kind: z.literal("act").describe("Do something to one container"),
    act: z.enum(["unpause"]).describe("The act"),
    engine: z.string().describe("The engine that the container is on"),
    container: z.string().describe("The container's name"),
  }),
  z.object({
    kind: z.literal("edit").describe("Change a file"),
    file: z.string().describe("Below the workspace's root"),
    line: z.int().describe("The line, from 1"),
  }),
  z.object({
    kind: z.literal("set").describe("Give a variable a value"),
    name: z.string().describe("The variable"),
    file: z.string().describe("The file to set it in, below the workspace's root; it may have to be made"),
  }),
  z.object({
    kind: z.literal("register").describe("Register a folder"),
    path: z.string().describe("The folder"),
  }),
  z.object({
    kind: z.literal("setting").describe("Start berth with another setting"),
    name: z.string().describe("The setting"),
    value: z.string().describe("A value, or an example of one"),
  }),
  z.object({
    kind: z.literal("permission").describe("Ask an admin for a permission"),
    permission: z.string().describe("The permission"),
    scope: z.string().nullable().describe("The scope that it is needed on; null: everywhere"),
  }),
]).meta({ id: "Remedy" });
export type Remedy = z.infer<typeof Remedy>;

/** The remedies of a message: one at least, or the reason why berth has none. */
export type Remedies = readonly [Remedy, ...Remedy[]] | NoRemedy;

interface NoRemedy {
  /** For readers of the code. */
  readonly none: string;
}

export const NO_REMEDY = (reason: string): NoRemedy => ({ none: reason });

export const planWith = (field: (typeof PLAN_FIELDS)[number], value: string | null): Remedy => ({
  kind: "plan",
  field,
  value,
});

/** Returns the remedies, or the given ones where the list is empty. */
export function remediesOr(list: readonly Remedy[], otherwise: Remedies): Remedies {
  const [first, ...more] = list;
  return first === undefined ? otherwise : [first, ...more];
}

/** Returns them as a plain list. */
export const listed = (remedies: Remedies): readonly Remedy[] => "none" in remedies ? [] : remedies;
