/** One file, with findings on its lines: to read, and where that is allowed to write, compare and save. */
import { useEffect, useState } from "preact/hooks";
import type { Diagnostic } from "../../../client/berth/models.ts";
import { check, draftKey, drafts, type OpenFile, readFile, revealFile, setDraft } from "../../live/files.ts";
import { useResource } from "../../live/resource.ts";
import { may } from "../../live/session.ts";
import { Confirm } from "../confirm.tsx";
import { ShowValues } from "../show_values.tsx";
import { shown } from "../shown.ts";
import { Loading, Trouble } from "../states.tsx";
import { words } from "../../words/en_later.ts";
import { CHECK_AFTER_MS, type Checked, useChecked } from "./checked.ts";
import { useEditor } from "./editor.ts";
import { Moved, Save, Versions } from "./file_changes.tsx";
import { useVariable } from "./set_variable.tsx";

type Asked = "save" | "discard" | "versions" | null;

export function FileView(
  { id, path, revision, isEditable }: {
    readonly id: string;
    readonly path: string;
    readonly revision: string;
    readonly isEditable: boolean;
  },
) {
  const key = draftKey(id, path);
  const read = useResource(`file ${key}`, (signal) => readFile(id, path, signal), { live: false, revision });
  const [known, setKnown] = useState<OpenFile | null>(null);
  const fresh = read.value.value;
  useEffect(() => {
    if (fresh !== undefined) setKnown(fresh);
  }, [fresh]);
  const draft = drafts.value.get(key) ?? null;
  const base = draft?.base ?? known;
  const text = draft?.text ?? known?.text ?? null;
  const canWrite = isEditable && may("workspaces:files");
  useVariable({ key, known, draft, canWrite });
  const isMoved = draft !== null && known !== null && known.tag !== draft.base.tag;
  const [asked, setAsked] = useState<Asked>(null);
  const [isSaved, setSaved] = useState(false);
  const [clear, setClear] = useState<string | null>(null);
  useEffect(() => setClear(null), [known]);
  const unsaved = draft?.text ?? null;
  const checked = useChecked(
    JSON.stringify([id, path, unsaved, revision]),
    unsaved === null ? 0 : CHECK_AFTER_MS,
    (signal) => check(id, path, unsaved, signal),
  );
  const { findings } = checked;
  const problem = read.problem.value;

  const change = (text: string) => {
    setSaved(false);
    const now = drafts.peek().get(key)?.base ?? base;
    if (now !== null) setDraft(key, { base: now, text });
  };
  const saved = (file: OpenFile) => {
    setDraft(key, null);
    setKnown(file);
    setSaved(true);
    setAsked(null);
  };
  /** An earlier text is in the file again; what was written meanwhile stays, beside it. */
  const putBack = (file: OpenFile) => {
    setKnown(file);
    setSaved(draft === null);
    setAsked(null);
  };
  const { box, goTo, search, isUnloaded } = useEditor({
    path,
    text,
    textNow: () => drafts.peek().get(key)?.text ?? known?.text ?? null,
    findings,
    canWrite,
    change,
    save: () => canWrite && drafts.peek().has(key) && setAsked("save"),
  });

  return (
    <section class="file" aria-label={shown(path)}>
      <header class="file-head">
        <h2>{shown(path)}</h2>
        {draft !== null && <span class="quiet">{words.files.unsaved}</span>}
        <span class="quiet" role="status">{isSaved && draft === null ? words.files.saved : ""}</span>
        <span class="file-acts">
          <button type="button" class="button" onClick={search}>{words.files.search}</button>
          {may("artifacts:reveal") && (known?.masked.length ?? 0) > 0 && (
            <ShowValues
              permission="artifacts:reveal"
              isShown={clear !== null}
              show={async () => setClear(await revealFile(id, path))}
              mask={() => setClear(null)}
            />
          )}
          {canWrite && (
            <button type="button" class="button" onClick={() => setAsked("versions")}>
              {words.files.versions}
            </button>
          )}
          {draft !== null && (
            <button type="button" class="button" onClick={() => setAsked("discard")}>
              {words.files.discard}
            </button>
          )}
          {canWrite && (
            <button
              type="button"
              class="button is-main"
              disabled={draft === null || isMoved}
              onClick={() => setAsked("save")}
            >
              {words.files.save}
            </button>
          )}
        </span>
      </header>
      {problem !== null && <Trouble problem={problem} again={read.reload} />}
      {isUnloaded && <p class="trouble" role="alert">{words.files.unloaded}</p>}
      {known?.staleIn?.map(({ container, target }) => (
        <p class="hint" role="status" key={container}>
          {words.files.staleIn(shown(container), shown(target))}
        </p>
      ))}
      {known?.stale && <p class="trouble" role="status">{words.files.stale}</p>}
      {isMoved && <Moved draft={draft} theirs={known} keep={(next) => setDraft(key, next)} />}
      {text === null && problem === null && <Loading />}
      {clear !== null && <Clear text={clear} label={words.files.clear(shown(path))} />}
      <div class="file-text" ref={box} hidden={clear !== null} />
      <FindingsOf checked={checked} goTo={goTo} />
      {canWrite && (known?.masked.length ?? 0) > 0 && <p class="hint">{words.files.masks}</p>}
      {asked === "save" && draft !== null && (
        <Save
          id={id}
          draft={draft}
          findings={findings}
          done={saved}
          close={() => setAsked(null)}
          reread={read.reload}
        />
      )}
      {asked === "discard" && (
        <Confirm
          title={words.files.discard}
          question={words.files.discardQuestion(shown(path))}
          act={() => Promise.resolve(setDraft(key, null))}
          close={() => setAsked(null)}
        />
      )}
      {asked === "versions" && known !== null && (
        <Versions
          id={id}
          file={known}
          done={putBack}
          close={() => setAsked(null)}
        />
      )}
    </section>
  );
}

/** To read alone: what is written goes on in the masked text. */
function Clear({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="lines is-clear" role="region" aria-label={label} tabIndex={0}>
      {text.replace(/\n$/, "").split("\n").map((line, index) => (
        <div class="line" key={index}>
          <span class="line-number">{index + 1}</span>
          <code class="line-text">{shown(line) || " "}</code>
        </div>
      ))}
    </div>
  );
}

interface FindingsProps {
  readonly checked: Checked;
  readonly goTo: (line: number) => void;
}

export function FindingsOf({ checked: { findings, problem }, goTo }: FindingsProps) {
  return (
    <>
      {problem !== null && <p class="trouble" role="status">{words.files.unchecked(shown(problem.title))}</p>}
      {findings?.length === 0 && problem === null && <p class="hint">{words.files.noFindings}</p>}
      {findings !== null && findings.length > 0 && <Found findings={findings} goTo={goTo} />}
    </>
  );
}

function Found(
  { findings, goTo }: {
    readonly findings: readonly Diagnostic[];
    readonly goTo: (line: number) => void;
  },
) {
  return (
    <ul class="rows" aria-label={words.files.findings}>
      {findings.map(({ severity, message, code, location, fingerprint }) => (
        <li class="row diagnostic" key={fingerprint + (location?.range.start.line ?? 0)}>
          <span class={`severity is-${severity}`}>{words.findings.severities[severity]}</span>
          <span class="diagnostic-message">{shown(message)}</span>
          <code class="quiet">{shown(code)}</code>
          <button
            type="button"
            class="link"
            onClick={() =>
              goTo(location?.range.start.line ?? 1)}
          >
            {words.files.toLine(location?.range.start.line ?? 1)}
          </button>
        </li>
      ))}
    </ul>
  );
}
