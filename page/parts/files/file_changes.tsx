/**
 * The difference that a change makes to a file: before it is saved, after a conflict, and back to an earlier
 * version.
 */
import { useState } from "preact/hooks";
import type { Diagnostic } from "../../../client/berth/models.ts";
import type { FileVersion } from "../../../client/berth/workspaces.ts";
import {
  type Draft,
  type OpenFile,
  readVersion,
  readVersions,
  restoreVersion,
  saveFile,
} from "../../live/files.ts";
import { problemOf } from "../../live/problem.ts";
import { useResource } from "../../live/resource.ts";
import { Dialog } from "../dialog.tsx";
import { Diff } from "../diff.tsx";
import { Form } from "../form.tsx";
import { shown } from "../shown.ts";
import { Empty, Loading, Trouble } from "../states.tsx";
import { words } from "../../words/en_later.ts";

interface Ending {
  readonly done: (file: OpenFile) => void;
  readonly close: () => void;
}

export function Save(
  { id, draft: { base, text }, findings, done, close, reread }: Ending & {
    readonly id: string;
    readonly draft: Draft;
    readonly findings: readonly Diagnostic[] | null;
    readonly reread: () => void;
  },
) {
  const amount = (severity: string) => findings?.filter((one) => one.severity === severity).length ?? 0;
  const wrong = words.files.wrong(amount("error"), amount("warning"));
  return (
    <Dialog title={words.files.saveTitle(shown(base.path))} onClose={close}>
      <Diff before={base.text} after={text} label={words.files.difference} />
      {wrong !== "" && <p class="hint">{words.files.withFindings(wrong)}</p>}
      <Form
        submit={words.files.saveIt}
        aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
        send={async () => {
          try {
            done(await saveFile(id, base, text));
          } catch (error) {
            if (problemOf(error)?.code !== "file_changed") throw error;
            close();
            reread();
          }
        }}
      >
        {null}
      </Form>
    </Dialog>
  );
}

/** Somebody else has saved it: all that was written stays, and there are three ways on. */
export function Moved(
  { draft, theirs, keep }: {
    readonly draft: Draft;
    readonly theirs: OpenFile;
    readonly keep: (draft: Draft | null) => void;
  },
) {
  const [isShown, setShown] = useState(false);
  return (
    <div class="trouble" role="alert">
      <span>{words.files.moved}</span>
      <button type="button" class="link" onClick={() => setShown(true)}>{words.files.showTheirs}</button>
      <button type="button" class="link" onClick={() => keep({ base: theirs, text: draft.text })}>
        {words.files.keepMine}
      </button>
      <button type="button" class="link" onClick={() => keep(null)}>{words.files.takeTheirs}</button>
      {isShown && (
        <Dialog title={words.files.showTheirs} onClose={() => setShown(false)}>
          <Diff before={draft.base.text} after={theirs.text} label={words.files.difference} />
          <div class="form-end">
            <button type="button" class="button" onClick={() => setShown(false)}>{words.close}</button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

export function Versions(
  { id, file, done, close }: Ending & { readonly id: string; readonly file: OpenFile },
) {
  const { path } = file;
  const read = useResource(`versions ${id} ${path}`, (signal) => readVersions(id, path, signal), {
    live: false,
  });
  const [chosen, setChosen] = useState<FileVersion | null>(null);
  const versions = read.value.value;
  const problem = read.problem.value;
  return (
    <Dialog title={words.files.versions} onClose={close}>
      {problem !== null && <Trouble problem={problem} again={read.reload} />}
      {versions === undefined && problem === null && <Loading />}
      {versions?.length === 0 && <Empty title={words.files.noVersions} />}
      {chosen === null
        ? (
          <ul class="rows">
            {versions?.map((version) => (
              <li class="row" key={version.id}>
                <button type="button" class="link" onClick={() => setChosen(version)}>
                  {words.files.version(Date.parse(version.at), shown(version.by.name), version.size)}
                </button>
              </li>
            ))}
          </ul>
        )
        : <Version id={id} version={chosen} file={file} done={done} back={() => setChosen(null)} />}
      {chosen === null && (
        <div class="form-end">
          <button type="button" class="button" onClick={close}>{words.close}</button>
        </div>
      )}
    </Dialog>
  );
}

function Version(
  { id, version, file, done, back }: {
    readonly id: string;
    readonly version: FileVersion;
    readonly file: OpenFile;
    readonly done: (file: OpenFile) => void;
    readonly back: () => void;
  },
) {
  const read = useResource(
    `version ${id} ${version.id}`,
    (signal) => readVersion(id, version.id, signal),
    { live: false },
  );
  const text = read.value.value;
  const problem = read.problem.value;
  if (text === undefined) {
    return problem === null ? <Loading /> : <Trouble problem={problem} again={read.reload} />;
  }
  return (
    <>
      <Diff before={file.text} after={text} label={words.files.difference} />
      <Form
        submit={words.files.putBack}
        aside={<button type="button" class="button" onClick={back}>{words.cancel}</button>}
        send={async () => done(await restoreVersion(id, version.id, file))}
      >
        {null}
      </Form>
    </>
  );
}
