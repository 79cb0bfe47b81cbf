/** The editor of a text, with findings on its lines: loaded by the first who opens one. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Diagnostic } from "../../../client/berth/models.ts";
import type { Marked, TextEditor } from "../../leaves/editor.ts";
import { query } from "../../router.ts";
import { words } from "../../words/en_later.ts";
import { shown } from "../shown.ts";

/** A script of its own. */
const EDITOR = "/editor.js";

interface Editing {
  readonly path: string;
  readonly text: string | null;
  readonly textNow: () => string | null;
  readonly findings: readonly Diagnostic[] | null;
  readonly canWrite: boolean;
  readonly change: (text: string) => void;
  readonly save: () => void;
}

export function useEditor(editing: Editing) {
  const { path, text, findings, canWrite } = editing;
  const box = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<TextEditor | null>(null);
  const [isUnloaded, setUnloaded] = useState(false);
  // Key bindings and changes reach the current view, not the one at the time the editor was made.
  const latest = useRef(editing);
  latest.current = editing;
  useEffect(() => {
    let made: TextEditor | null = null;
    let isOver = false;
    void (async () => {
      try {
        const { TextEditor } = await import(EDITOR) as typeof import("../../leaves/editor.ts");
        if (isOver) return;
        made = new TextEditor(box.current!, {
          label: words.files.label(shown(path)),
          isYaml: /\.ya?ml$/.test(path),
          phrases: words.files.phrases,
          onChange: (text) => latest.current.change(text),
          onSave: () => latest.current.save(),
        });
        setEditor(made);
      } catch {
        setUnloaded(true);
      }
    })();
    return () => {
      isOver = true;
      made?.dispose();
    };
  }, [path]);
  useEffect(() => {
    // Not what was drawn last: the next key may have been faster.
    const now = latest.current.textNow();
    if (now !== null) editor?.show(now);
  }, [editor, text]);
  useEffect(() => editor?.allow(canWrite), [editor, canWrite]);
  useEffect(() => editor?.mark((findings ?? []).map(markOf)), [editor, findings, text]);
  const line = Number(query.value.get("line") ?? "");
  useEffect(() => {
    if (text !== null && line > 0) editor?.goTo(line);
  }, [editor, text !== null, line]);
  return {
    box,
    isUnloaded,
    goTo: (line: number) => {
      editor?.goTo(line);
      editor?.focus();
    },
    search: () => editor?.search(),
  };
}

function markOf({ severity, message, location }: Diagnostic): Marked {
  const { start, end } = location!.range; // those of one file have one
  return {
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column,
    severity: severity as Marked["severity"],
    message: shown(message),
  };
}
