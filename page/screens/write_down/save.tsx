/** Saves what was written down as projects: their containers belong to them from then on, and none changes. */
import { useState } from "preact/hooks";
import { ADOPTIONS_DRAFT_ACCEPT } from "../../../client/berth/adoptions.ts";
import type { AdoptionDraft, Workspace } from "../../../client/berth/workspaces.ts";
import { type Problem, problemOf } from "../../live/problem.ts";
import { projectHref } from "../../live/projects.ts";
import { proved } from "../../live/proof.ts";
import { client, may } from "../../live/session.ts";
import { Editable } from "../../parts/files/editable.tsx";
import { shown } from "../../parts/shown.ts";
import { Trouble } from "../../parts/states.tsx";
import { words } from "../../words/en_later.ts";

const TEXT = words.writeDown;

type Project = AdoptionDraft["projects"][number];

/** The projects of one call. A call with more could take longer than the page waits for an answer. */
const AT_ONCE = 25;

interface Saved {
  readonly projects: readonly { readonly group: string; readonly name: string }[];
  readonly notes: readonly string[];
  /** The projects of the draft that were saved or refused. */
  readonly over: ReadonlySet<string>;
}

const NOTHING: Saved = { projects: [], notes: [], over: new Set() };

export function Save(
  { draft, workspace, again }: {
    readonly draft: AdoptionDraft;
    readonly workspace: Workspace;
    readonly again: () => void;
  },
) {
  const [names, setNames] = useState<ReadonlyMap<string, { name: string; folder: string }>>(new Map());
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [saved, setSaved] = useState(NOTHING);
  const wishes = draft.projects.filter((one) => !saved.over.has(keyOf(one))).map((project) => ({
    project,
    ...names.get(keyOf(project)) ?? { name: project.name, folder: project.folder },
  }));
  const all = draft.projects.length;
  if (wishes.length === 0) return <Done saved={saved} workspace={workspace.id} />;
  if (!may("workspaces:files")) return <p class="hint">{words.lacks("workspaces:files")}</p>;
  // Another name or folder may mend a block: berth itself says whether it does.
  const canSave = workspace.editable && !isBusy &&
    wishes.every(({ name, folder }) => /^[a-z0-9][a-z0-9_-]*$/.test(name) && folder !== "");
  const save = async () => {
    setBusy(true);
    setProblem(null);
    try {
      for (let at = 0; at < wishes.length; at += AT_ONCE) {
        const part = wishes.slice(at, at + AT_ONCE);
        const projects = part.map(({ project: { backend, services }, name, folder }) => ({
          name,
          folder,
          containers: services.map(({ id }) => ({ backend, id })),
        }));
        const answer = await proved(() =>
          client.post(ADOPTIONS_DRAFT_ACCEPT, { params: { id: draft.id }, payload: { projects } })
        );
        const { projects: made, failed, warnings } = answer.json();
        setSaved((before) => ({
          projects: [...before.projects, ...made],
          notes: [...before.notes, ...failed.map(({ name, why }) => `${name}: ${why}`), ...warnings],
          over: new Set([...before.over, ...part.map(({ project }) => keyOf(project))]),
        }));
      }
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="written-save"
      aria-label={TEXT.save}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {!workspace.editable && <Editable workspace={workspace} />}
      {wishes.map(({ project, name, folder }, n) => (
        <div class="new-where" key={n}>
          <TextField
            label={TEXT.name}
            value={name}
            change={(name) => {
              const isSame = folder === (names.get(keyOf(project))?.name ?? project.folder);
              setNames(new Map(names).set(keyOf(project), { name, folder: isSame ? name : folder }));
            }}
          />
          <TextField
            label={TEXT.folderIn(workspace.name)}
            value={folder}
            change={(folder) => setNames(new Map(names).set(keyOf(project), { name, folder }))}
          />
        </div>
      ))}
      {saved.over.size > 0 && <p class="hint" role="status">{TEXT.progress(saved.projects.length, all)}</p>}
      <Notes notes={saved.notes} />
      {problem !== null && <Trouble problem={problem} />}
      <div class="form-end">
        <button type="submit" class="button is-main" disabled={!canSave}>
          {TEXT.saveThem(wishes.length)}
        </button>
        {problem?.code === "draft_stale" && (
          <button type="button" class="button" onClick={() => (setProblem(null), again())}>
            {TEXT.again}
          </button>
        )}
        <span class="hint">{TEXT.nothingChanges}</span>
      </div>
    </form>
  );
}

const keyOf = ({ backend, name }: Project): string => `${backend} ${name}`;

function Done({ saved, workspace }: { readonly saved: Saved; readonly workspace: string }) {
  return (
    <div role="status">
      <p class="lead">{TEXT.saved(saved.projects.length)}</p>
      <ul class="written-reasons">
        {saved.projects.map(({ group, name }) => (
          <li key={group}>
            <a href={projectHref(`${group}@${workspace}`)}>{shown(name)}</a>
          </li>
        ))}
      </ul>
      <Notes notes={saved.notes} />
    </div>
  );
}

function Notes({ notes }: { readonly notes: Saved["notes"] }) {
  return <>{notes.map((note) => <p class="trouble" key={note}>{shown(note)}</p>)}</>;
}

function TextField(
  { label, value, change }: {
    readonly label: string;
    readonly value: string;
    readonly change: (value: string) => void;
  },
) {
  return (
    <label class="field">
      {shown(label)}
      <input
        type="text"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        value={value}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </label>
  );
}
