/** A new folder that follows a Git repository from the beginning. */
import { useState } from "preact/hooks";
import { WORKSPACES } from "../../../client/berth/workspaces.ts";
import { client, LONG_S, may, mayEverywhere } from "../../live/session.ts";
import { Field, Form } from "../../parts/form.tsx";
import { SourceFields, sourceFrom } from "../../parts/source_fields.tsx";
import { go } from "../../router.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.sources;

export function FromRepository() {
  const [isOpen, setOpen] = useState(false);
  if (!mayEverywhere("workspaces:write") || !may("workspaces:manage")) return null;
  if (!isOpen) {
    return <button type="button" class="button" onClick={() => setOpen(true)}>{TEXT.fromRepository}</button>;
  }
  return (
    <Form
      submit={TEXT.make}
      aside={<button type="button" class="button" onClick={() => setOpen(false)}>{words.cancel}</button>}
      send={async ({ path = "", ...fields }) => {
        const payload = { path: path.trim(), source: sourceFrom(fields) };
        const { id } = (await client.post(WORKSPACES, { payload, timeoutS: LONG_S })).json();
        go(`/w/${encodeURIComponent(id)}/source`);
      }}
    >
      <Field label={TEXT.newPath} name="path" hint={TEXT.newPathHint} autofocus />
      <SourceFields />
    </Form>
  );
}
