/** The files of a workspace: which there are, and the one that is open. */
import type { Workspace, WorkspaceFile } from "../../../client/berth/workspaces.ts";
import { draftKey, drafts, readFiles } from "../../live/files.ts";
import { useResource } from "../../live/resource.ts";
import { Reading } from "../reading.tsx";
import { shown } from "../shown.ts";
import { Empty } from "../states.tsx";
import { query, withQuery } from "../../router.ts";
import { words } from "../../words/en_later.ts";
import { Editable } from "./editable.tsx";
import { FileView } from "./file_view.tsx";
import { Missing } from "./set_variable.tsx";

/** Shows all files of a workspace, or those below one of its folders. */
export function Files(
  { workspace, folder = "." }: { readonly workspace: Workspace; readonly folder?: string },
) {
  const { id, revision } = workspace;
  const read = useResource(`files ${id}`, (signal) => readFiles(id, signal), { live: false, revision });
  const isBelow = ({ path }: WorkspaceFile) => ["", "."].includes(folder) || path.startsWith(`${folder}/`);
  return (
    <Reading read={read} isPart>
      {(files) => <Listed workspace={workspace} listed={files.filter(isBelow)} made={read.reload} />}
    </Reading>
  );
}

function Listed(
  { workspace, listed, made }: {
    readonly workspace: Workspace;
    readonly listed: readonly WorkspaceFile[];
    readonly made: () => void;
  },
) {
  const { id, revision, editable } = workspace;
  if (listed.length === 0) return <Empty title={words.files.none} />;
  const asked = query.value.get("file");
  const path = asked ?? firstOf(listed);
  return (
    <div class="files">
      <nav class="files-list" aria-label={words.files.list}>
        {listed.map((file) => (
          <a
            key={file.path}
            href={withQuery({ file: file.path, line: null })}
            {...(file.path === path ? { "aria-current": "page" as const } : {})}
          >
            {shown(file.path)}
            {drafts.value.has(draftKey(id, file.path)) && <span class="quiet">{words.files.unsaved}</span>}
          </a>
        ))}
      </nav>
      <div class="files-open">
        {!editable && <Editable workspace={workspace} />}
        {listed.some((file) => file.path === path)
          ? <FileView key={path} id={id} path={path} revision={revision ?? ""} isEditable={editable} />
          : <Missing id={id} path={path} isEditable={editable} made={made} />}
        {editable && <Editable workspace={workspace} />}
      </div>
    </div>
  );
}

/** The Compose file that is the least deep. */
function firstOf(files: readonly WorkspaceFile[]): string {
  const composed = files.filter(({ kind }) => kind === "compose");
  const depth = ({ path }: WorkspaceFile) => path.split("/").length;
  return (composed.sort((a, b) => depth(a) - depth(b))[0] ?? files[0]!).path;
}
