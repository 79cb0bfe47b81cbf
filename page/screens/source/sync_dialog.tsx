/** The question before a commit is written into a folder, with a choice for every file in the way. */
import { useState } from "preact/hooks";
import { type Source, WORKSPACE_SOURCE_SYNC } from "../../../client/berth/workspaces.ts";
import { client, LONG_S } from "../../live/session.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Select } from "../../parts/form.tsx";
import { shown } from "../../parts/shown.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.sources;

export function SyncDialog(
  { source: { workspace, head, pending }, commit, close }: {
    readonly source: Source;
    readonly commit: string;
    readonly close: () => void;
  },
) {
  // Of another commit nobody has looked what is in the way: the answer names it. A check meanwhile changes no question.
  const [conflicts] = useState(commit === head ? pending?.conflicts ?? [] : []);
  return (
    <Confirm
      title={TEXT.sync}
      question={TEXT.syncTo(commit.slice(0, 8))}
      hints={[TEXT.syncHint]}
      close={close}
      act={(fields) => {
        const chosen = (what: string) =>
          conflicts.filter((_, at) => fields[`choice ${at}`] === what).map(({ path }) => path);
        const payload = { commit, keep: chosen("keep"), overwrite: chosen("overwrite") };
        return client.post(WORKSPACE_SOURCE_SYNC, { params: { id: workspace }, payload, timeoutS: LONG_S });
      }}
    >
      {conflicts.map(({ path }, at) => (
        <Select
          key={path}
          label={TEXT.choice(shown(path))}
          name={`choice ${at}`}
          options={[["keep", TEXT.keep], ["overwrite", TEXT.overwrite]]}
        />
      ))}
    </Confirm>
  );
}
