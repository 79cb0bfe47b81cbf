/** The options of a plan as a part of its address, so that a link shows the same plan. */
import type { PlanRequest } from "../../../client/berth/models.ts";

export type Action = NonNullable<PlanRequest["action"]>;

/** The options without the action. */
export type Options = Omit<PlanRequest, "action">;

const ACTIONS: readonly Action[] = ["up", "down", "stop", "restart", "update"];

/** Values that an address may have. */
const CHOICES = {
  pull: ["policy", "always", "never"],
  orphans: ["keep", "remove"],
  recreate: ["changed", "always"],
  commit: ["head"],
} as const satisfies { readonly [Field in keyof Options]?: readonly Options[Field][] };

/** Returns the action that an address names; another word is none. */
export function actionIn(asked: URLSearchParams): Action {
  return ACTIONS.find((one) => one === asked.get("action")) ?? "up";
}

/** Returns the options that an address names. Volumes are never taken from one: they are chosen in the plan, by hand. */
export function optionsIn(asked: URLSearchParams): Options {
  const backend = asked.get("backend");
  const units = asked.getAll("units");
  const rerun = asked.getAll("rerun");
  return {
    ...(backend !== null && backend !== "" && { backend }),
    ...choiceIn(asked, "pull"),
    ...choiceIn(asked, "orphans"),
    ...choiceIn(asked, "recreate"),
    ...choiceIn(asked, "commit"),
    ...(asked.get("build") === "true" && { build: true }),
    ...(asked.get("inPlace") === "false" && { inPlace: false }),
    ...(units.length > 0 && { units }),
    ...(rerun.length > 0 && { rerun }),
  };
}

function choiceIn<Field extends keyof typeof CHOICES>(asked: URLSearchParams, field: Field): Options {
  const found = CHOICES[field].find((one) => one === asked.get(field));
  return found === undefined ? {} : { [field]: found };
}

/** Returns the address with these options in the place of those that it has. */
export function withOptions(address: URL, { volumes: _, ...options }: Options): string {
  const target = new URL(address);
  for (const field of ["backend", "build", "inPlace", "units", "rerun", ...Object.keys(CHOICES)]) {
    target.searchParams.delete(field);
  }
  for (const [field, value] of Object.entries(options)) {
    for (const one of [value].flat()) target.searchParams.append(field, String(one));
  }
  return target.pathname + target.search;
}
