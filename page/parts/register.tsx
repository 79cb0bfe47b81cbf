/** The form that registers a folder, with the allowed folders and those found on the machine. */
import { type Folders, SYSTEM_FOLDERS } from "../../client/berth/system.ts";
import { WORKSPACES } from "../../client/berth/workspaces.ts";
import { useResource } from "../live/resource.ts";
import { client, may } from "../live/session.ts";
import { Field, Form } from "./form.tsx";
import { shown } from "./shown.ts";
import { go } from "../router.ts";
import { words } from "../words/en_later.ts";

const readFolders = (signal: AbortSignal) =>
  client.get(SYSTEM_FOLDERS, { signal }).then((answer) => answer.json());

export interface RegisterFormProps {
  readonly done: () => void;
  readonly cancel?: () => void;
  /** The folder that the form begins with. */
  readonly path?: string;
}

export function RegisterForm({ done, cancel, path }: RegisterFormProps) {
  const folders = useResource(may("workspaces:write") ? "folders" : null, readFolders, { live: false });
  if (!may("workspaces:write")) return <p class="hint">{words.lacks("workspaces:write")}</p>;
  const { roots, suggestions } = folders.value.value ?? { roots: null, suggestions: [] };
  return (
    <Form
      submit={words.register.submit}
      aside={cancel && <button type="button" class="button" onClick={cancel}>{words.cancel}</button>}
      send={async ({ path = "" }) => {
        await client.post(WORKSPACES, { payload: { path: path.trim() } });
        done();
        go("/");
      }}
    >
      <Field
        label={words.register.path}
        name="path"
        {...(path === undefined ? {} : { value: path })}
        {...(roots === null ? {} : { hint: words.register.pathHint(roots.map(shown)) })}
        autofocus
      />
      {suggestions.length > 0 && <Suggestions suggestions={suggestions} />}
    </Form>
  );
}

/** Folders to choose, then those outside the allowed ones, each with the setting that allows it. */
function Suggestions({ suggestions }: Pick<Folders, "suggestions">) {
  const allowed = suggestions.filter(({ setting }) => setting === null);
  const bySetting = Map.groupBy(suggestions, ({ setting }) => setting);
  bySetting.delete(null);
  return (
    <section class="suggestions" aria-label={words.register.suggested}>
      <p class="suggestions-title">{words.register.suggested}</p>
      <ul>
        {allowed.map(({ path }) => (
          <li key={path}>
            <button type="button" class="link" onClick={({ currentTarget }) => choose(currentTarget, path)}>
              {shown(path)}
            </button>
          </li>
        ))}
        {[...bySetting].map(([setting, folders]) => (
          <li key={setting}>
            {folders.map(({ path }) => <code key={path}>{shown(path)}</code>)}
            <p class="hint">
              {words.register.notAllowed} <code>{shown(setting ?? "")}</code>
            </p>
          </li>
        ))}
      </ul>
      {bySetting.size > 0 && <p class="hint">{words.register.inContainer}</p>}
    </section>
  );
}

/** Puts a folder into the form's field, where it can still be changed. */
function choose({ form }: HTMLButtonElement, folder: string): void {
  const input = form?.elements.namedItem("path");
  if (!(input instanceof HTMLInputElement)) return;
  input.value = folder;
  input.focus();
}
