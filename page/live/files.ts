/** The files of a workspace: read, checked while they are written, saved, and what they were before. */
import { signal } from "@preact/signals";
import type { Diagnostic } from "../../client/berth/models.ts";
import {
  type FileVersion,
  WORKSPACE,
  WORKSPACE_ARTIFACTS_VALIDATE,
  WORKSPACE_FILE,
  WORKSPACE_FILES,
  WORKSPACE_VERSION,
  WORKSPACE_VERSION_RESTORE,
  WORKSPACE_VERSIONS,
  type WorkspaceFile,
  type WorkspaceFileText,
  type WrittenFile,
} from "../../client/berth/workspaces.ts";
import { changed } from "./changes.ts";
import { client, isLeft } from "./session.ts";

/** A file as it was read, under the tag with which it can be saved. */
export interface OpenFile extends WorkspaceFileText {
  readonly tag: string;
  /** After a save: containers that still read the text before. */
  readonly staleIn?: WrittenFile["staleIn"];
}

export async function readFiles(id: string, signal: AbortSignal): Promise<readonly WorkspaceFile[]> {
  return (await client.get(WORKSPACE_FILES, { params: { id }, signal })).json().items;
}

export async function readFile(id: string, path: string, signal?: AbortSignal): Promise<OpenFile> {
  const answer = await client.get(WORKSPACE_FILE, {
    params: { id, path },
    ...(signal === undefined ? {} : { signal }),
  });
  return { ...answer.json(), tag: answer.headers.get("etag") ?? "" };
}

/** Returns the text of a file with its secrets, which the audit log notes. */
export async function revealFile(id: string, path: string): Promise<string> {
  return (await client.get(WORKSPACE_FILE, { params: { id, path }, query: { reveal: true } })).json().text;
}

/** Returns the findings of one file, with the unsaved texts laid over the workspace. */
export async function check(id: string, path: string, text: string | null, signal: AbortSignal): Promise<
  readonly Diagnostic[]
> {
  const report = await client.post(WORKSPACE_ARTIFACTS_VALIDATE, {
    params: { id },
    signal,
    ...(text === null ? {} : { payload: { files: { [path]: text } } }),
  });
  return report.json().diagnostics.filter(({ location }) => location?.file === path);
}

/** Returns the findings of files that are not there yet, laid over the workspace. */
export async function checkNew(
  id: string,
  files: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly Diagnostic[]> {
  const report = await client.post(WORKSPACE_ARTIFACTS_VALIDATE, {
    params: { id },
    signal,
    payload: { files },
  });
  return report.json().diagnostics.filter(({ location }) =>
    location !== null && Object.hasOwn(files, location.file)
  );
}

/** Makes a file where nothing has its name. */
export async function createFile(id: string, path: string, text: string): Promise<void> {
  await client.put(WORKSPACE_FILE, { params: { id, path }, payload: { text }, ifNoneMatch: "*" });
  changed();
}

/** Saves under the tag of what was read. */
export async function saveFile(id: string, { path, tag }: OpenFile, text: string): Promise<OpenFile> {
  const answer = await client.put(WORKSPACE_FILE, { params: { id, path }, payload: { text }, ifMatch: tag });
  return opened(answer);
}

export async function readVersions(
  id: string,
  path: string,
  signal: AbortSignal,
): Promise<readonly FileVersion[]> {
  return (await client.get(WORKSPACE_VERSIONS, { params: { id }, query: { path }, signal })).json().items;
}

export async function readVersion(id: string, version: number, signal: AbortSignal): Promise<string> {
  return (await client.get(WORKSPACE_VERSION, { params: { id, version }, signal })).json().text;
}

export async function restoreVersion(id: string, version: number, { tag }: OpenFile): Promise<OpenFile> {
  const params = { id, version };
  return opened(await client.post(WORKSPACE_VERSION_RESTORE, { params, ifMatch: tag }));
}

export async function makeEditable(id: string, editable: boolean): Promise<void> {
  await client.put(WORKSPACE, { params: { id }, payload: { editable } });
  changed();
}

function opened(answer: { readonly headers: Headers; json(): WorkspaceFileText }): OpenFile {
  changed();
  return { ...answer.json(), tag: answer.headers.get("etag") ?? "" };
}

/** A text that is not saved, and the file that it was made from. */
export interface Draft {
  readonly base: OpenFile;
  readonly text: string;
}

/** By workspace and path. They outlive the view, so that looking elsewhere loses nothing. */
export const drafts = signal<ReadonlyMap<string, Draft>>(new Map());

export const draftKey = (id: string, path: string) => `${id}\n${path}`;

/** Null forgets it. */
export function setDraft(key: string, draft: Draft | null): void {
  const all = new Map(drafts.peek());
  if (draft === null || draft.text === draft.base.text) all.delete(key);
  else all.set(key, draft);
  drafts.value = all;
}

/** A browser asks before it closes what is not saved. */
addEventListener("beforeunload", (event) => {
  if (drafts.peek().size > 0 && !isLeft()) event.preventDefault();
});
