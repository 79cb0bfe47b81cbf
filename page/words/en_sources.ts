/** The words for the Git repositories that folders follow. */
import { count, number } from "./en_counts.ts";

export const sources = {
  title: "Repository",
  follow: "Follow a Git repository",
  fromRepository: "New folder from a Git repository …",
  make: "Make the folder and check",
  newPath: "The new folder's full path on the machine that runs berth",
  newPathHint: "berth makes it if it is not there. The folder above it must be, and be allowed.",
  lead:
    "berth fetches the branch and shows what each commit would change. It writes no file before somebody syncs.",
  url: "Address of the repository",
  urlHint: "https://, or http:// without a token",
  branch: "Branch",
  folder: "Folder of the repository",
  folderHint: "Empty for all of it",
  user: "User",
  token: "Token",
  tokenHint: "One that may read is enough. berth keeps it encrypted and never shows it.",
  tokenKept: "A token is kept. Leave this empty to use it on.",
  save: "Save and check",
  change: "Change …",
  check: "Check now",
  checkedAgo: (time: string) => `checked ${time} ago`,
  notChecked: "not checked yet",
  remove: "Stop following",
  removeQuestion: (name: string) =>
    `${name} no longer follows its repository. All files and containers stay as they are.`,
  none: "This folder follows no repository.",
  states: {
    unchecked: "No check has ended yet",
    synced: "Up to date",
    behind: "Commits wait",
    syncing: "Files are being written",
    conflict: "Commits wait, and files are in the way",
    failed: "The last check failed",
  } as Readonly<Record<string, string>>,
  behind: (commits: number, groups: string) =>
    `${count(commits, "commit", "commits")} behind${groups === "" ? "" : `: ${groups}`}`,
  first: "Never synced",
  rewritten: "History was rewritten: the branch does not contain the synced commit any more.",
  commits: "Commits that wait",
  history: "Commits of the branch",
  sync: "Sync",
  syncTo: (commit: string) => `Write commit ${commit} into the folder?`,
  syncHint: "All or nothing. Files that are not Git's stay as they are, and no container changes by it.",
  back: "Go to this one",
  current: "in the folder",
  choice: (path: string) => `${path} is in the way`,
  keep: "Leave it as it is",
  overwrite: "Overwrite it, and keep its text as an earlier version",
  groups: "What the newest commit changes",
  noGroups: "No project changes.",
  changes: { changed: "changes", added: "is new", removed: "is gone from the files" } as Readonly<
    Record<string, string>
  >,
  line: (file: string, line: number) => `${file}, line ${number.format(line)}`,
  plan: "Plan",
  conflicts: "Files in the way",
  skipped: "Never written",
  files: (amount: number) =>
    count(amount, "file would be written or deleted", "files would be written or deleted"),
  of: (branch: string) => `branch ${branch}`,
  atCommit: (commit: string) =>
    `This is what commit ${commit} would do. The files are not written yet, so it cannot be applied.`,
  fromHead: "From the newest commit, before its files are written",
};
