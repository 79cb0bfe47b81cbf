/** A new project: its files are checked while they are written, then made, and then planned. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { Diagnostic } from "../../../client/berth/models.ts";
import { type Workspace, WORKSPACES } from "../../../client/berth/workspaces.ts";
import { checkNew, createFile, readFiles } from "../../live/files.ts";
import { type Problem, problemOf } from "../../live/problem.ts";
import { planHref, projectHref, readProjectsLike } from "../../live/projects.ts";
import { useResource } from "../../live/resource.ts";
import { client, isLeft, may } from "../../live/session.ts";
import { Act } from "../../parts/act.tsx";
import { CHECK_AFTER_MS, useChecked } from "../../parts/files/checked.ts";
import { Editable } from "../../parts/files/editable.tsx";
import { useEditor } from "../../parts/files/editor.ts";
import { FindingsOf } from "../../parts/files/file_view.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty, Trouble, Unread } from "../../parts/states.tsx";
import { go } from "../../router.ts";
import { words } from "../../words/en_later.ts";
import { StartFrom, type Taken } from "./start_from.tsx";
import { NewFile, Where } from "./where.tsx";

const TEXT = words.newProject;
const COMPOSE = "compose.yaml";
/** berth reads a new file at once; its row comes with the next look at all projects. */
const LOOKS = 40;
const LOOK_MS = 250;

const BEGINNING = `services:
  web:
    image: nginx:1.27
    ports: ["8080:80"]
    restart: unless-stopped
`;

type Texts = Readonly<Record<string, string>>;

/** Outlives the screen, so that looking elsewhere loses nothing. */
const draft = signal<{ readonly name: string; readonly texts: Texts }>(fresh());

/** A browser asks before it closes what is not saved. */
addEventListener("beforeunload", (event) => {
  if (isWritten() && !isLeft()) event.preventDefault();
});

function fresh() {
  return { name: "", texts: { [COMPOSE]: BEGINNING, ".env": "" } };
}

export function NewProject() {
  const read = useResource(
    may("workspaces:read") ? "folders for a project" : null,
    (signal) => client.get(WORKSPACES, { signal }).then((answer) => answer.json().items),
  );
  const folders = read.value.value;
  if (!may("workspaces:files")) return <Empty title={words.lacks("workspaces:files")} whole />;
  if (folders === undefined) return <Unread problem={read.problem.value} again={read.reload} />;
  if (folders.length === 0) {
    return (
      <Empty title={TEXT.noFolder} whole>
        <a class="button" href="/folders">{words.project.toFolders}</a>
      </Empty>
    );
  }
  return <Draft folders={folders} />;
}

function Draft({ folders }: { readonly folders: readonly Workspace[] }) {
  const [workspaceId, setWorkspace] = useState((folders.find(({ editable }) => editable) ?? folders[0]!).id);
  const workspace = folders.find(({ id }) => id === workspaceId) ?? folders[0]!;
  const { name, texts } = draft.value;
  const setName = (name: string) => draft.value = { ...draft.peek(), name };
  const setText = (path: string, text: string) => {
    const { name, texts } = draft.peek();
    draft.value = { name, texts: { ...texts, [path]: text } };
  };
  const [open, setOpen] = useState(COMPOSE);
  /** Lines that took the place of the text: the editor begins anew with each. */
  const [taken, setTaken] = useState(0);
  const checked = useCheckedFiles(workspace.id, name, texts);
  const own = checked.findings?.filter(({ location }) => location?.file === pathOf(name, open)) ?? null;
  const isNamed = /^[a-z0-9][a-z0-9_-]*$/.test(name);
  const saving = useSaving(workspace.id, draft.value);
  return (
    <>
      <header class="screen-head">
        <h1>{words.titles.newProject}</h1>
      </header>
      <Where
        name={name}
        setName={setName}
        isNamed={isNamed}
        folders={folders}
        workspace={workspace}
        setWorkspace={setWorkspace}
      />
      {!workspace.editable && <Editable workspace={workspace} />}
      <StartFrom
        example={BEGINNING}
        isChanged={isWritten}
        take={(read) => {
          takeOver(read);
          setTaken(taken + 1);
          setOpen(COMPOSE);
        }}
      />
      <div class="new-project">
        <div>
          <FileTabs
            paths={Object.keys(texts)}
            open={open}
            choose={setOpen}
            add={(path) => {
              setText(path, "");
              setOpen(path);
            }}
          />
          <Text
            key={`${taken} ${open}`}
            path={open}
            text={texts[open] ?? ""}
            findings={own}
            change={(text) => setText(open, text)}
          />
        </div>
        <section aria-labelledby="new-findings">
          <h2 id="new-findings">{words.workspace.findings}</h2>
          {isNamed ? <FindingsOf checked={checked} goTo={() => {}} /> : <p class="hint">{TEXT.nameFirst}</p>}
        </section>
      </div>
      {saving.problem !== null && <Trouble problem={saving.problem} />}
      <End isReady={isNamed && workspace.editable} saving={saving} />
    </>
  );
}

/** The buttons below; a name and a folder that may be written to make it ready. */
function End(
  { isReady, saving }: { readonly isReady: boolean; readonly saving: ReturnType<typeof useSaving> },
) {
  const canSave = isReady && !saving.isBusy;
  return (
    <div class="form-end">
      <Act
        permission="projects:plan"
        kind="is-main"
        disabled={!canSave}
        act={() => void saving.save(planHref)}
      >
        {TEXT.saveAndPlan}
      </Act>
      <button
        type="button"
        class="button"
        disabled={!canSave}
        onClick={() => void saving.save(projectHref)}
      >
        {words.files.saveIt}
      </button>
      <span class="hint">{TEXT.nothingStarts}</span>
    </div>
  );
}

/** True if a text was written that neither is empty nor what a project begins with. */
const isWritten = (): boolean =>
  Object.values(draft.peek().texts).some((text) => text !== "" && text !== BEGINNING);

/** Puts other texts into the draft; a name that was typed stays. */
function takeOver(read: Taken) {
  const { name } = draft.peek();
  const own = Object.fromEntries(read.files.map(({ path, text }) => [path, text]));
  draft.value = { name: name === "" ? read.name : name, texts: { [COMPOSE]: "", ".env": "", ...own } };
}

function FileTabs(
  { paths, open, choose, add }: {
    readonly paths: readonly string[];
    readonly open: string;
    readonly choose: (path: string) => void;
    readonly add: (path: string) => void;
  },
) {
  return (
    <div class="new-files" role="group" aria-label={words.files.list}>
      {paths.map((path) => (
        <button
          key={path}
          type="button"
          class="button"
          aria-pressed={path === open}
          onClick={() => choose(path)}
        >
          {shown(path)}
        </button>
      ))}
      <NewFile taken={paths} add={add} />
    </div>
  );
}

const pathOf = (name: string, file: string): string => `${name}/${file}`;

/** Returns the files to make: the Compose file last, so that it never stands there without the others. */
function filesOf(name: string, texts: Texts): readonly (readonly [path: string, text: string])[] {
  const { [COMPOSE]: compose = "", ...others } = texts;
  const more = Object.entries(others).filter(([, text]) => text !== "");
  return [...more, [COMPOSE, compose] as const].map(([file, text]) => [pathOf(name, file), text]);
}

/** Makes the files and goes where `hrefOf` says. What was made stays made: another try goes on behind it. */
function useSaving(workspace: string, written: typeof draft.value) {
  const { name, texts } = written;
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [made, setMade] = useState<ReadonlySet<string>>(new Set());
  const save = async (hrefOf: (id: string) => string) => {
    setBusy(true);
    setProblem(null);
    const done = new Set(made);
    const files = filesOf(name, texts).map((file) => ({ file, key: JSON.stringify([workspace, ...file]) }));
    try {
      const isBegun = files.some(({ key }) => done.has(key));
      if (!isBegun && await isTaken(workspace, name)) return setProblem(takenBy(name));
      for (const { file: [path, text], key } of files) {
        if (!done.has(key)) await createFile(workspace, path, text);
        done.add(key);
      }
      const id = await idOf(workspace, name);
      if (draft.peek() === written) draft.value = fresh(); // what was written meanwhile is not saved
      go(hrefOf(id));
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setMade(done);
      setBusy(false);
    }
  };
  return { isBusy, problem, save };
}

/** True if files stand in the folder already: nothing is put among somebody else's, not even beside them. */
async function isTaken(workspace: string, name: string): Promise<boolean> {
  const listed = await readFiles(workspace, AbortSignal.timeout(10_000));
  return listed.some(({ path }) => path.startsWith(`${name}/`));
}

const takenBy = (name: string): Problem => ({
  title: TEXT.taken(shown(name)),
  code: "file_exists",
  status: 412,
  requestId: null,
  errors: [],
});

/** Waits until berth has read the new project. A file that names it otherwise decides what it is called. */
async function idOf(workspace: string, name: string): Promise<string> {
  for (let look = 0; look < LOOKS; look++) {
    const items = await readProjectsLike(workspace, name, AbortSignal.timeout(10_000));
    const found = items.find((row) => row.workspace?.id === workspace && row.folder === name);
    if (found !== undefined) return found.id;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return `${name}@${workspace}`;
}

const useCheckedFiles = (workspace: string, name: string, texts: Texts) =>
  useChecked(
    name === "" ? "" : JSON.stringify([workspace, name, texts]),
    CHECK_AFTER_MS,
    (signal) => checkNew(workspace, Object.fromEntries(filesOf(name, texts)), signal),
  );

function Text(
  { path, text, findings, change }: {
    readonly path: string;
    readonly text: string;
    readonly findings: readonly Diagnostic[] | null;
    readonly change: (text: string) => void;
  },
) {
  const { box, isUnloaded } = useEditor({
    path,
    text,
    textNow: () => draft.peek().texts[path] ?? "",
    findings,
    canWrite: true,
    change,
    save: () => {},
  });
  if (isUnloaded) return <p class="trouble" role="alert">{words.files.unloaded}</p>;
  return <div class="file-text is-new" ref={box} />;
}
