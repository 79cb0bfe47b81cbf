/** A variable that a plan misses: its line in the file that is open, or that file made with it. */
import { useEffect, useState } from "preact/hooks";
import { createFile, type Draft, type OpenFile, setDraft } from "../../live/files.ts";
import { type Problem, problemOf } from "../../live/problem.ts";
import { go, query, withQuery } from "../../router.ts";
import { words } from "../../words/en_later.ts";
import { Act } from "../act.tsx";
import { shown } from "../shown.ts";
import { Empty, Trouble } from "../states.tsx";

interface Open {
  readonly key: string;
  readonly known: OpenFile | null;
  readonly draft: Draft | null;
  readonly canWrite: boolean;
}

/** The variable of the address. Another text is none: with a line break in it, it would write other lines. */
function variableOf(address: URLSearchParams): string | null {
  const name = address.get("set");
  return name !== null && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : null;
}

/** Puts a line for the variable of the address into the open file, once it may be written. */
export function useVariable({ key, known, draft, canWrite }: Open): void {
  const name = variableOf(query.value);
  useEffect(() => {
    if (name === null || known === null || !canWrite) return;
    const text = draft?.text ?? known.text;
    const lines = text.replace(/\n+$/, "").split("\n");
    const at = lines.findIndex((line) => line.replace(/^export\s+/, "").startsWith(`${name}=`));
    if (at < 0) {
      const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
      setDraft(key, { base: draft?.base ?? known, text: `${before}${name}=\n` });
    }
    const line = at < 0 ? (lines[0] === "" && lines.length === 1 ? 1 : lines.length + 1) : at + 1;
    go(withQuery({ set: null, line: String(line) }), { replace: true });
  }, [name, known, canWrite]);
}

/** A file of the address that is not there: it is made with the variable, where the address names one. */
export function Missing(
  { id, path, isEditable, made }: {
    readonly id: string;
    readonly path: string;
    readonly isEditable: boolean;
    readonly made: () => void;
  },
) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const name = variableOf(query.value);
  if (name === null) return <Empty title={words.files.gone} />;
  const make = async () => {
    try {
      await createFile(id, path, `${name}=\n`);
      go(withQuery({ set: null, line: "1" }), { replace: true });
      made();
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <Empty title={words.files.notYet(shown(path))}>
      <Act permission="workspaces:files" kind="is-main" disabled={!isEditable} act={() => void make()}>
        {words.files.makeWith(shown(path), shown(name))}
      </Act>
      {problem !== null && <Trouble problem={problem} />}
    </Empty>
  );
}
