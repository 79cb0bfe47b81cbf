/** Every option of a plan as a flag of the command line: an option without one does not compile. */
import type { Diagnostic, PlanRequest } from "../client/berth/models.ts";
import type { Line, Option } from "./command.ts";

type Remedy = NonNullable<Diagnostic["remedies"]>[number];

interface PlanOption<Value> {
  /** The flag; those behind it are its other names. */
  readonly flags: readonly [Option, ...Option[]];
  /** Returns the value that was given, or undefined. The table of commands has checked it. */
  readonly read: (line: Line) => Value | undefined;
}

const one = <Value extends string>(...flags: readonly [Option, ...Option[]]): PlanOption<Value> => ({
  flags,
  read: (line) =>
    flags.map(({ name }) => line.option(name)).find((given) => given !== undefined) as
      | Value
      | undefined, // as its choices say
});

const several = (flag: Option): PlanOption<string[]> => ({
  flags: [flag],
  read: (line) => line.option(flag.name) === undefined ? undefined : [...line.all(flag.name)],
});

const ENGINE: Option = {
  name: "--engine",
  value: "name",
  meaning: "the engine; else the one where the project runs, else the default",
};

const ACTION: Option = {
  name: "--action",
  value: "action",
  choices: ["up", "down", "stop", "restart", "update"],
  meaning: "what is wanted; up unless said otherwise",
};
const action = one<NonNullable<PlanRequest["action"]>>(ACTION);

export const PLAN_OPTIONS = {
  action: {
    flags: [ACTION, {
      name: "--update",
      meaning: "the same as --action update: with the newer images that are known",
    }],
    read: (line: Line) => line.option("--update") === undefined ? action.read(line) : "update",
  },
  backend: one<string>(ENGINE, { ...ENGINE, name: "--backend", meaning: "the same as --engine" }),
  units: several({
    name: "--unit",
    value: "name",
    meaning: "only this service, and with up what it depends on; may be repeated",
  }),
  orphans: one<NonNullable<PlanRequest["orphans"]>>({
    name: "--orphans",
    value: "what",
    choices: ["keep", "remove"],
    meaning: "containers whose service is not in the files; they stay unless said otherwise",
  }),
  rerun: several({
    name: "--rerun",
    value: "name",
    meaning: "a service that ended well and is to run again; may be repeated",
  }),
  recreate: one<NonNullable<PlanRequest["recreate"]>>({
    name: "--recreate",
    value: "which",
    choices: ["changed", "always"],
    meaning: "which containers are made anew; changed ones unless said otherwise",
  }),
  pull: one<NonNullable<PlanRequest["pull"]>>({
    name: "--pull",
    value: "when",
    choices: ["policy", "always", "never"],
    meaning: "which images are asked of their registry; as their policy says unless said otherwise",
  }),
  build: {
    flags: [{
      name: "--build",
      meaning: "build the images of services with build anew, also those that are there",
    }],
    read: (line: Line) => line.option("--build") === undefined ? undefined : true,
  },
  inPlace: {
    flags: [{ name: "--no-in-place", meaning: "make a container anew where only its limits change" }],
    read: (line: Line) => line.option("--no-in-place") === undefined ? undefined : false,
  },
  commit: one<NonNullable<PlanRequest["commit"]>>({
    name: "--commit",
    value: "which",
    choices: ["head"],
    meaning: "plan from the newest commit of the folder's repository, before its files are written",
  }),
  volumes: several({
    name: "--volume",
    value: "name",
    meaning: "a volume that down removes with all its data; may be repeated",
  }),
} satisfies { [Field in keyof Required<PlanRequest>]: PlanOption<NonNullable<PlanRequest[Field]>> };

/** The flags, as the table of commands lists them. */
export const PLAN_FLAGS: readonly Option[] = Object.values(PLAN_OPTIONS).flatMap(({ flags }) => flags);

/** Returns what a command line asks of a plan. */
export function planRequestOf(line: Line): PlanRequest {
  const read = Object.entries(PLAN_OPTIONS).map(([field, { read }]) => [field, read(line)] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

/** Returns what a terminal says of the remedies of a message, such as `; use --rerun job`; empty without any. */
export function remediesText(remedies: readonly Remedy[] = []): string {
  const text = remedies.map(remedyText).filter((one) => one !== "").join(" or ");
  return text === "" ? "" : `; ${text}`;
}

/** The place of an edit stands behind its message already. */
function remedyText(remedy: Remedy): string {
  switch (remedy.kind) {
    case "plan":
      return flagText(remedy);
    case "act":
      return `resume it: docker unpause ${remedy.container}, on the engine ${remedy.engine}`;
    case "edit":
      return "";
    case "set":
      return `set ${remedy.name} in ${remedy.file}`;
    case "register":
      return `register ${remedy.path}`;
    case "setting":
      return `start berth with ${remedy.name}=${remedy.value}`;
    case "permission":
      return `ask an admin for ${remedy.permission}${remedy.scope === null ? "" : ` on ${remedy.scope}`}`;
    default: // of a newer berth
      return "";
  }
}

function flagText({ field, value }: Extract<Remedy, { kind: "plan" }>): string {
  const [flag]: readonly Option[] = PLAN_OPTIONS[field]?.flags ?? [];
  if (flag === undefined) return ""; // of a newer berth
  if (value === null) return `leave ${flag.name} out`;
  return `use ${flag.name}${flag.value === undefined ? "" : ` ${value}`}`;
}
