/** The switch that lets people write the files of a workspace. */
import { useMemo, useState } from "preact/hooks";
import type { Workspace } from "../../../client/berth/workspaces.ts";
import { Acting } from "../../live/acting.ts";
import { makeEditable } from "../../live/files.ts";
import { may } from "../../live/session.ts";
import { Act } from "../act.tsx";
import { Confirm } from "../confirm.tsx";
import { shown } from "../shown.ts";
import { Trouble } from "../states.tsx";
import { words } from "../../words/en_later.ts";

/** The switch for editing files, for callers who may set it. */
export function Editable({ workspace: { id, name, editable } }: { readonly workspace: Workspace }) {
  const [isAsking, setAsking] = useState(false);
  const acting = useMemo(() => new Acting(), []);
  const problem = acting.problem.value;
  return (
    <>
      {problem !== null && <Trouble problem={problem} />}
      <p class="files-rule">
        {!editable && <span class="hint">{words.files.readOnly}</span>}
        {editable && !may("workspaces:files") && <span class="hint">{words.files.cannotWrite}</span>}
        {(may("workspaces:manage") || !editable) && (
          <Act
            permission="workspaces:manage"
            act={() => editable ? void acting.act(() => makeEditable(id, false)) : setAsking(true)}
          >
            {editable ? words.files.makeReadOnly : words.files.makeEditable}
          </Act>
        )}
        {isAsking && (
          <Confirm
            title={words.files.makeEditable}
            question={words.files.makeEditableQuestion(shown(name))}
            act={() => makeEditable(id, true)}
            close={() => setAsking(false)}
          />
        )}
      </p>
    </>
  );
}
