/** The place of a new project: its name, which is its folder's, and the registered folder that holds it. */
import { useState } from "preact/hooks";
import type { Workspace } from "../../../client/berth/workspaces.ts";
import { Select } from "../../parts/form.tsx";
import { shown } from "../../parts/shown.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.newProject;

export function Where(
  { name, setName, isNamed, folders, workspace, setWorkspace }: {
    readonly name: string;
    readonly setName: (name: string) => void;
    readonly isNamed: boolean;
    readonly folders: readonly Workspace[];
    readonly workspace: Workspace;
    readonly setWorkspace: (id: string) => void;
  },
) {
  return (
    <div class="new-where">
      <div class="field">
        <label for="new-name">{TEXT.name}</label>
        <input
          id="new-name"
          type="text"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          value={name}
          aria-describedby="new-name-hint"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <p class="hint" id="new-name-hint">
          {name === "" || isNamed
            ? TEXT.makes(shown(`${workspace.path}/${name === "" ? "…" : name}/compose.yaml`))
            : TEXT.nameHint}
        </p>
      </div>
      <Select
        label={TEXT.folder}
        name="folder"
        value={workspace.id}
        options={folders.map(({ id, name, path }) => [id, shown(`${name} · ${path}`)] as const)}
        onChange={setWorkspace}
      />
    </div>
  );
}

/** One more file of the project, by its name below the project's folder. */
export function NewFile(
  { taken, add }: { readonly taken: readonly string[]; readonly add: (path: string) => void },
) {
  const [path, setPath] = useState<string | null>(null);
  if (path === null) {
    return <button type="button" class="link" onClick={() => setPath("")}>{TEXT.addFile}</button>;
  }
  const isGood = path !== "" && !taken.includes(path) && !path.startsWith("/") &&
    !path.split("/").some((part) => part === "" || part.startsWith("."));
  return (
    <form
      class="new-file"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isGood) return;
        add(path);
        setPath(null);
      }}
    >
      <input
        type="text"
        aria-label={TEXT.fileName}
        placeholder="server.yml"
        autocomplete="off"
        spellcheck={false}
        value={path}
        onInput={({ currentTarget }) => setPath(currentTarget.value)}
      />
      <button type="submit" class="button" disabled={!isGood}>{TEXT.add}</button>
    </form>
  );
}
