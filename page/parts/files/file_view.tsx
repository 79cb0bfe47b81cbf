/** One file, with findings on its lines: to read, and where that is allowed to write, compare and save. */
import { useEffect, useState } from "preact/hooks";
import type { Diagnostic } from "../../../client/berth/models.ts";
import { check, draftKey, drafts, type OpenFile, readFile, setDraft } from "../../live/files.ts";
import { useResource } from "../../live/resource.ts";
import { may } from "../../live/session.ts";
import { Confirm } from "../confirm.tsx";
import { shown } from "../shown.ts";
import { Loading, Trouble } from "../states.tsx";
import { words } from "../../words/en_later.ts";
import { useEditor } from "./editor.ts";
import { Moved, Save, Versions } from "./file_changes.tsx";

/** After the last key, before what was typed is checked. */
const CHECK_AFTER_MS = 400;

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
  const read = useResource(`file ${key} ${revision}`, (signal) => readFile(id, path, signal), {
    live: false,
  });
  const [known, setKnown] = useState<OpenFile | null>(null);
  const fresh = read.value.value;
  useEffect(() => {
    if (fresh !== undefined) setKnown(fresh);
  }, [fresh]);
  const draft = drafts.value.get(key) ?? null;
  const base = draft?.base ?? known;
  const text = draft?.text ?? known?.text ?? null;
  const canWrite = isEditable && may("workspaces:files");
  const isMoved = draft !== null && known !== null && known.tag !== draft.base.tag;
  const [asked, setAsked] = useState<Asked>(null);
  const [isSaved, setSaved] = useState(false);
  const findings = useFindings(id, path, draft?.text ?? null, revision);
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
      <div class="file-text" ref={box} />
      <FindingsOf findings={findings} goTo={goTo} />
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
          done={saved}
          close={() => setAsked(null)}
        />
      )}
    </section>
  );
}

export function FindingsOf(
  { findings, goTo }: {
    readonly findings: readonly Diagnostic[] | null;
    readonly goTo: (line: number) => void;
  },
) {
  if (findings === null) return null;
  if (findings.length === 0) return <p class="hint">{words.files.noFindings}</p>;
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

/**
 * The findings in the text as it is now; null before the first answer. The last answer stays until the next.
 */
function useFindings(
  id: string,
  path: string,
  text: string | null,
  revision: string,
): readonly Diagnostic[] | null {
  const [findings, setFindings] = useState<readonly Diagnostic[] | null>(null);
  useEffect(() => {
    const ending = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const found = await check(id, path, text, ending.signal);
        if (!ending.signal.aborted) setFindings(found);
      } catch {
        // The next key asks again; what was found stays.
      }
    }, text === null ? 0 : CHECK_AFTER_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [id, path, text, revision]);
  return findings;
}
