/** A line of `docker run` that becomes the text of the new project. */
import { useState } from "preact/hooks";
import { ARTIFACTS_FROM_RUN } from "../../../client/berth/artifacts.ts";
import { type Problem, problemOf } from "../../live/problem.ts";
import { client } from "../../live/session.ts";
import { shown } from "../../parts/shown.ts";
import { Trouble } from "../../parts/states.tsx";
import { words } from "../../words/en_later.ts";

const TEXT = words.newProject;

interface Read {
  readonly name: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly unknown: readonly string[];
  readonly notes: readonly string[];
}

export function FromRun({ take }: { readonly take: (read: Read) => void }) {
  const [line, setLine] = useState("");
  const [read, setRead] = useState<Read | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const convert = async () => {
    setProblem(null);
    setRead(null);
    try {
      const found = (await client.post(ARTIFACTS_FROM_RUN, { payload: { command: line } })).json();
      setRead(found);
      take(found);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <div class="from-run">
      <label class="field">
        {TEXT.runLine}
        <textarea
          rows={3}
          spellcheck={false}
          placeholder="docker run -d -p 8080:80 nginx:1.27"
          value={line}
          onInput={(event) => setLine(event.currentTarget.value)}
        />
      </label>
      <div class="form-end">
        <button type="button" class="button" disabled={line.trim() === ""} onClick={() => void convert()}>
          {TEXT.readLine}
        </button>
        <span class="hint">{TEXT.replacesText}</span>
      </div>
      {problem !== null && <Trouble problem={problem} />}
      {read !== null && read.unknown.length > 0 && (
        <p class="trouble" role="status">{shown(TEXT.notTaken(read.unknown.join(", ")))}</p>
      )}
      {read?.notes.map((note) => <p class="hint" key={note}>{shown(note)}</p>)}
    </div>
  );
}
