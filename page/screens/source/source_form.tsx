/** The address of a repository, its branch and its token. */

import { type Source, WORKSPACE_SOURCE } from "../../../client/berth/workspaces.ts";
import { client, LONG_S } from "../../live/session.ts";
import { Form } from "../../parts/form.tsx";
import { SourceFields, sourceFrom } from "../../parts/source_fields.tsx";
import { words } from "../../words/en_later.ts";

const TEXT = words.sources;

export function SourceForm(
  { id, source, done }: { readonly id: string; readonly source: Source | null; readonly done: () => void },
) {
  return (
    <Form
      submit={TEXT.save}
      send={async (fields) => {
        await client.put(WORKSPACE_SOURCE, { params: { id }, payload: sourceFrom(fields), timeoutS: LONG_S });
        done();
      }}
    >
      <SourceFields source={source} />
    </Form>
  );
}
