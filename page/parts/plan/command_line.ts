/** The command that does the same as a plan of the page: an option without a flag does not compile. */
import type { PlanRequest } from "../../../client/berth/models.ts";

const list = (flag: string) => (values: readonly string[]) => values.flatMap((value) => [flag, value]);

const FLAGS = {
  action: (action: string) => action === "up" ? [] : ["--action", action],
  backend: (name: string) => ["--engine", name],
  units: list("--unit"),
  orphans: (what: string) => ["--orphans", what],
  rerun: list("--rerun"),
  recreate: (which: string) => ["--recreate", which],
  pull: (when: string) => ["--pull", when],
  build: (isBuilt: boolean) => isBuilt ? ["--build"] : [],
  inPlace: (isInPlace: boolean) => isInPlace ? [] : ["--no-in-place"],
  commit: (which: string) => ["--commit", which],
  volumes: list("--volume"),
} satisfies {
  readonly [Field in keyof Required<PlanRequest>]: (
    value: NonNullable<PlanRequest[Field]>,
  ) => readonly string[];
};

/** Returns the command for a project by its whole id, which means the same tomorrow. */
export function commandOf(project: string, asked: PlanRequest): string {
  const flags = Object.entries(asked).flatMap(([field, value]) =>
    value === undefined ? [] : FLAGS[field as keyof PlanRequest](value as never)
  );
  return ["berth", asked.commit === undefined ? "apply" : "plan", project, ...flags].map(quoted).join(" ");
}

/** A word that a shell would read otherwise stands in quotes. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
