/** The beginnings of a new project: an example, a pasted file, a line of `docker run`, or another project. */
import { useState } from "preact/hooks";
import type { Range } from "../../../client/berth/models.ts";
import { readFile } from "../../live/files.ts";
import { type Problem, problemOf } from "../../live/problem.ts";
import { readProject, readProjects, type Row } from "../../live/projects.ts";
import { useResource } from "../../live/resource.ts";
import { may } from "../../live/session.ts";
import { shown } from "../../parts/shown.ts";
import { Trouble } from "../../parts/states.tsx";
import { words } from "../../words/en_later.ts";
import { FromRun } from "./from_run.tsx";

const TEXT = words.newProject;

/** Texts by the names of their files below the project's folder, and the project's name where one is known. */
export interface Taken {
  readonly name: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

const WAYS = ["example", "pasted", "run", "copy"] as const;
type Way = (typeof WAYS)[number];

export function StartFrom(
  { example, isChanged, take }: {
    readonly example: string;
    /** True if taking other texts loses some that were written. */
    readonly isChanged: () => boolean;
    readonly take: (taken: Taken) => void;
  },
) {
  const [way, setWay] = useState<Way>("example");
  const choose = (next: Way) => {
    setWay(next);
    if (next === "run" || next === "copy" || isChanged()) return;
    take({ name: "", files: [{ path: "compose.yaml", text: next === "example" ? example : "" }] });
  };
  return (
    <div class="start-from">
      <div class="new-files" role="group" aria-label={TEXT.startFrom}>
        <b>{TEXT.startFrom}</b>
        {WAYS.filter((one) => one !== "copy" || may("artifacts:read")).map((one) => (
          <button
            key={one}
            type="button"
            class="button"
            aria-pressed={one === way}
            onClick={() => choose(one)}
          >
            {TEXT.ways[one]}
          </button>
        ))}
      </div>
      {way === "pasted" && <p class="hint">{TEXT.pasteHint}</p>}
      {way === "run" && <FromRun take={take} />}
      {way === "copy" && <Copy take={take} />}
    </div>
  );
}

function Copy({ take }: { readonly take: (taken: Taken) => void }) {
  const rows = useResource("projects to copy", readProjects, { live: false }).value.value?.items ?? [];
  const [problem, setProblem] = useState<Problem | null>(null);
  const [hidden, setHidden] = useState(0);
  const copy = async (row: Row) => {
    setProblem(null);
    try {
      const found = await copied(row);
      setHidden(found.hidden);
      take({ name: "", files: found.files });
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  const choices = rows.filter(({ workspace }) => workspace !== null);
  return (
    <div class="field">
      <label for="copy-of">{TEXT.copyOf}</label>
      <select
        id="copy-of"
        onChange={({ currentTarget }) => {
          const row = choices.find(({ id }) => id === currentTarget.value);
          if (row !== undefined) void copy(row);
        }}
      >
        <option value="">{TEXT.choose}</option>
        {choices.map(({ id, name, workspace }) => (
          <option key={id} value={id}>{shown(`${name} · ${workspace?.name}`)}</option>
        ))}
      </select>
      <p class="hint">{TEXT.replacesText}</p>
      {hidden > 0 && <p class="trouble" role="status">{TEXT.hidden(hidden)}</p>}
      {problem !== null && <Trouble problem={problem} />}
    </div>
  );
}

/** The line by which the copy would be the same project for an engine. */
const NAME_LINE = /^name:.*\n/m;

/** Reads the files of a project's own folder. A value that is masked is left empty: a mask is no value. */
async function copied({ id, folder, workspace }: Row) {
  const { files } = await readProject(id);
  const below = folder === null || folder === "" || folder === "." ? "" : `${folder}/`;
  const own = files.filter(({ path, kind }) => path.startsWith(below) && kind !== "secret");
  let hidden = 0;
  const texts = await Promise.all(own.map(async ({ path, kind }) => {
    const { text, masked } = await readFile(workspace?.id ?? "", path);
    hidden += masked.length;
    const isMain = kind === "compose" && own.filter((one) => one.kind === "compose").length === 1;
    const plain = withoutMasked(text, masked);
    return {
      path: isMain ? "compose.yaml" : path.slice(below.length),
      text: kind === "compose" ? plain.replace(NAME_LINE, "") : plain,
    };
  }));
  return { files: texts, hidden };
}

/** Takes out the masked places, the last first, so that the others stay where they are. */
const withoutMasked = (text: string, masked: readonly Range[]): string =>
  masked.toReversed().reduce(
    (rest, { start, end }) => rest.slice(0, start.offset) + rest.slice(end.offset),
    text,
  );
