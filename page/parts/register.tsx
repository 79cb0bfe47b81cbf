/** The form that registers a folder by its path. */
import { WORKSPACES } from "../../client/berth/workspaces.ts";
import { client, mayEverywhere } from "../live/session.ts";
import { Field, Form } from "./form.tsx";
import { shown } from "./shown.ts";
import { words } from "../words/en_later.ts";

const TEXT = words.register;

export interface RegisterFormProps {
  readonly done: () => void;
  readonly cancel?: () => void;
  /** The folder that the form begins with. */
  readonly path?: string;
  /** The allowed folders, where they are known. */
  readonly roots?: readonly string[];
}

export function RegisterForm({ done, cancel, path, roots }: RegisterFormProps) {
  if (!mayEverywhere("workspaces:write")) return <p class="hint">{words.lacks("workspaces:write")}</p>;
  return (
    <Form
      submit={TEXT.submit}
      aside={cancel && <button type="button" class="button" onClick={cancel}>{words.cancel}</button>}
      send={async ({ path = "" }) => {
        await client.post(WORKSPACES, { payload: { path: path.trim() } });
        done();
      }}
    >
      <Field
        label={TEXT.path}
        name="path"
        {...(path === undefined ? {} : { value: path })}
        {...(roots === undefined ? {} : { hint: TEXT.pathHint(roots.map(shown)) })}
        autofocus
      />
    </Form>
  );
}
