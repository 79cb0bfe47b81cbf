/** The scopes of a right, chosen from what the caller sees; only a label is typed. */
import { useState } from "preact/hooks";
import { WORKSPACES } from "../../../client/berth/workspaces.ts";
import { readProjects } from "../../live/projects.ts";
import { useResource } from "../../live/resource.ts";
import { client, may } from "../../live/session.ts";
import { Select } from "../../parts/form.tsx";
import { shown } from "../../parts/shown.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.settings.rights;

type Kind = keyof typeof TEXT.one;
type Named = readonly (readonly [scope: string, word: string])[];

/** Reads what there is to choose; a list that the caller may not read is left out. */
async function readChoices(signal: AbortSignal): Promise<Readonly<Record<Exclude<Kind, "label">, Named>>> {
  const { items, engines } = may("artifacts:read") ? await readProjects(signal) : { items: [], engines: [] };
  const folders = may("workspaces:read") ? (await client.get(WORKSPACES, { signal })).json().items : [];
  const projects = [...new Set(items.map(({ project }) => project))].sort();
  return {
    project: projects.map((name) => [`project:${name}`, name]),
    workspace: folders.map(({ id, name, path }) => [`workspace:${id}`, `${name} · ${path}`]),
    engine: engines.map(({ name }) => [`engine:${name}`, name]),
  };
}

export function Scopes(
  { number, on, change }: {
    readonly number: number;
    readonly on: readonly string[] | null;
    readonly change: (on: readonly string[] | null) => void;
  },
) {
  return (
    <>
      <Select
        label={TEXT.where}
        name={`where-${number}`}
        value={on === null ? "everywhere" : "only"}
        options={[["everywhere", TEXT.everywhere], ["only", TEXT.only]]}
        onChange={(where) => change(where === "only" ? [] : null)}
      />
      {on !== null && <Chosen on={on} change={change} />}
    </>
  );
}

function Chosen(
  { on, change }: { readonly on: readonly string[]; readonly change: (on: readonly string[]) => void },
) {
  const choices = useResource("scopes", readChoices, { live: false }).value.value;
  const [isLabel, setLabel] = useState(false);
  const add = (scope: string) => {
    if (!on.includes(scope)) change([...on, scope]);
  };
  return (
    <div class="scopes">
      {on.length === 0 ? <p class="hint" role="status">{TEXT.chooseHint}</p> : (
        <ul>
          {on.map((scope) => (
            <li key={scope}>
              {shown(wordOf(scope))}
              <button
                type="button"
                class="link"
                aria-label={shown(TEXT.remove(wordOf(scope)))}
                onClick={() => change(on.filter((one) => one !== scope))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <select
        aria-label={TEXT.choose}
        value=""
        onChange={({ currentTarget }) => {
          const scope = currentTarget.value;
          currentTarget.value = "";
          setLabel(scope === "label");
          if (scope !== "" && scope !== "label") add(scope);
        }}
      >
        <option value="">{TEXT.choose}</option>
        {(["project", "workspace", "engine"] as const).map((kind) => (
          <optgroup key={kind} label={TEXT.kinds[kind]}>
            {choices?.[kind].map(([scope, word]) => <option key={scope} value={scope}>{shown(word)}</option>)}
          </optgroup>
        ))}
        <option value="label">{TEXT.kinds.label}</option>
      </select>
      {isLabel && (
        <Label
          add={(label) => {
            add(`label:${label}`);
            setLabel(false);
          }}
        />
      )}
    </div>
  );
}

/** A form inside of a form would send the outer one. */
function Label({ add }: { readonly add: (label: string) => void }) {
  const [text, setText] = useState("");
  const isGood = /^[^=\s]+=/.test(text.trim());
  const send = () => isGood && add(text.trim());
  return (
    <div class="scope-label">
      <input
        type="text"
        aria-label={TEXT.label}
        placeholder="team=web"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          send();
        }}
      />
      <button type="button" class="button" disabled={!isGood} onClick={send}>{TEXT.addLabel}</button>
    </div>
  );
}

/** `project shop` for `project:shop`. */
function wordOf(scope: string): string {
  const at = scope.indexOf(":");
  const kind = scope.slice(0, at);
  return Object.hasOwn(TEXT.one, kind) ? `${TEXT.one[kind as Kind]} ${scope.slice(at + 1)}` : scope;
}
