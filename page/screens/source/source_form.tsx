/** The address of a repository, its branch and its token. */

import { type Source, WORKSPACE_SOURCE } from "../../../client/berth/workspaces.ts";
import { client } from "../../live/session.ts";
import { Field, Form } from "../../parts/form.tsx";
import { words } from "../../words/en_later.ts";

const TEXT = words.sources;

export function SourceForm(
  { id, source, done }: { readonly id: string; readonly source: Source | null; readonly done: () => void },
) {
  return (
    <Form
      submit={TEXT.save}
      send={async ({ url = "", branch = "", folder = "", user = "", token = "" }) => {
        const credential = token === "" ? {} : { credential: { ...(user !== "" && { user }), token } };
        const payload = { url: url.trim(), branch: branch.trim(), folder: folder.trim(), ...credential };
        await client.put(WORKSPACE_SOURCE, { params: { id }, payload });
        done();
      }}
    >
      <Field label={TEXT.url} name="url" hint={TEXT.urlHint} value={source?.url ?? ""} />
      <Field label={TEXT.branch} name="branch" value={source?.branch ?? "main"} />
      <Field
        label={TEXT.folder}
        name="folder"
        hint={TEXT.folderHint}
        value={source?.folder ?? ""}
        optional
      />
      <Field label={TEXT.user} name="user" optional />
      <Field
        label={TEXT.token}
        name="token"
        type="password"
        hint={source?.hasCredential ? TEXT.tokenKept : TEXT.tokenHint}
        optional
      />
    </Form>
  );
}
