/** The options of a plan, each with a control: an option without one does not compile. */
import type { ComponentChild } from "preact";
import { useState } from "preact/hooks";
import type { PlanRequest } from "../../../client/berth/models.ts";
import { readEngines, readProject } from "../../live/projects.ts";
import { useResource } from "../../live/resource.ts";
import { Select } from "../../parts/form.tsx";
import { shown } from "../../parts/shown.ts";
import { serviceOf } from "../../parts/unit_row.tsx";
import { go, withQuery } from "../../router.ts";
import { words } from "../../words/en_later.ts";
import type { Options } from "../../parts/plan/plan_address.ts";

const TEXT = words.applies;
const WORD = TEXT.options;

interface Around {
  readonly action: NonNullable<PlanRequest["action"]>;
  readonly options: Options;
  readonly set: (options: Options) => void;
  readonly engines: readonly string[];
  readonly services: readonly string[];
}

/** Options that stand in the first line; the others are behind "More options". */
const FIRST: readonly (keyof PlanRequest)[] = ["action", "backend", "commit"];

/** A swarm is no engine, and can be chosen all the same. */
const chosenAmong = (engines: readonly string[], chosen: string | undefined) =>
  [...new Set([...engines, ...chosen === undefined ? [] : [chosen]])].map((name) =>
    [name, shown(name)] as const
  );

const CONTROLS = {
  action: ({ action }) => (
    <Select
      label={TEXT.action}
      name="action"
      value={action}
      options={Object.entries(TEXT.actions)}
      onChange={(one) => go(withQuery({ action: one === "up" ? null : one }), { replace: true })}
    />
  ),
  backend: ({ options, set, engines }) =>
    engines.length < 2 && options.backend === undefined ? null : (
      <Select
        label={WORD.engine}
        name="engine"
        value={options.backend ?? ""}
        options={[["", WORD.whereItRuns], ...chosenAmong(engines, options.backend)]}
        onChange={(backend) => set(changed(options, "backend", backend === "" ? null : backend))}
      />
    ),
  pull: (around) => choice(around, "pull", WORD.pull, WORD.pulls, "policy"),
  orphans: (around) => choice(around, "orphans", WORD.orphans, WORD.orphansThen, "keep"),
  recreate: (around) => choice(around, "recreate", WORD.recreate, WORD.recreates, "changed"),
  build: ({ options, set }) => (
    <label class="plan-check">
      <input
        type="checkbox"
        checked={options.build === true}
        onChange={({ currentTarget }) =>
          set(changed(options, "build", currentTarget.checked ? "true" : null))}
      />{" "}
      {WORD.build}
    </label>
  ),
  inPlace: ({ options, set }) => (
    <label class="plan-check">
      <input
        type="checkbox"
        checked={options.inPlace !== false}
        onChange={({ currentTarget }) => set({ ...options, inPlace: currentTarget.checked })}
      />{" "}
      {WORD.inPlace}
    </label>
  ),
  units: (around) => several(around, "units", WORD.units),
  rerun: (around) => several(around, "rerun", WORD.rerun),
  commit: ({ options, set }) =>
    options.commit === undefined ? null : (
      <label class="plan-check">
        <input type="checkbox" checked onChange={() => set(changed(options, "commit", null))} />{" "}
        {words.sources.fromHead}
      </label>
    ),
  volumes: () => null, // each volume that stays has a button of its own
} satisfies Record<keyof PlanRequest, (around: Around) => ComponentChild>;

function choice(
  { options, set }: Around,
  field: "pull" | "orphans" | "recreate",
  label: string,
  said: Readonly<Record<string, string>>,
  usual: string,
) {
  return (
    <Select
      label={label}
      name={field}
      value={options[field] ?? usual}
      options={Object.entries(said)}
      onChange={(one) => set(changed(options, field, one === usual ? null : one))}
    />
  );
}

function several({ options, set, services }: Around, field: "units" | "rerun", label: string) {
  if (services.length === 0) return null;
  const chosen = options[field] ?? [];
  return (
    <fieldset class="plan-several">
      <legend>{label}</legend>
      {services.map((name) => (
        <label class="plan-check" key={name}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={() =>
              set({
                ...options,
                [field]: chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name],
              })}
          />{" "}
          {shown(name)}
        </label>
      ))}
    </fieldset>
  );
}

/** Returns the options with one of them changed, as a remedy says it; null takes it out. */
export function changed(options: Options, field: keyof Options, value: string | null): Options {
  const { [field]: before, ...others } = options;
  if (value === null) return others;
  if (field === "inPlace" || field === "build") return { ...others, [field]: value === "true" };
  if (field === "units" || field === "rerun" || field === "volumes") {
    const list = Array.isArray(before) ? before as readonly string[] : [];
    return { ...others, [field]: [...new Set([...list, value])] };
  }
  return { ...others, [field]: value };
}

export function PlanOptions(
  { id, action, options, set }: { readonly id: string } & Pick<Around, "action" | "options" | "set">,
) {
  const [isOpen, setOpen] = useState(false);
  const engines = useResource("engines of plans", readEngines, { live: false }).value.value ?? [];
  const units = useResource(`services of ${id}`, (signal) => readProject(id, signal), { live: false })
    .value.value?.units ?? [];
  const around: Around = {
    action,
    options,
    set,
    engines: engines.map(({ name }) => name),
    services: units.map(({ name }) => serviceOf(name)),
  };
  const fields = Object.keys(CONTROLS) as (keyof PlanRequest)[]; // as the table says
  const more = fields.filter((field) => !FIRST.includes(field));
  return (
    <div class="plan-choice">
      {FIRST.map((field) => CONTROLS[field](around))}
      <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? WORD.fewer : WORD.more}
      </button>
      {isOpen && more.map((field) => CONTROLS[field](around))}
    </div>
  );
}
