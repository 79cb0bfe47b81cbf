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
  urlHint: "https://, ssh:// with a deploy key that berth makes, or http:// without a token",
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
    waiting: "Waits for a person",
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
  policy: "When a commit comes",
  policies: {
    manual: "nothing is written before somebody syncs",
    auto: "sync and apply it by itself, with my rights",
  } as Readonly<Record<string, string>>,
  waiting: (why: string) => `Nothing is done by itself: ${why}`,
  uncommitted: {
    title: "Changed here, not committed",
    lead:
      "Plans use these files as they are. A commit changes them alone, on the newest commit of the branch.",
    changes: { changed: "changed", deleted: "deleted", added: "new" } as Readonly<Record<string, string>>,
    message: "Message of the commit",
    branch: "New branch",
    branchHint: (branch: string) => `Empty for ${branch}. A new one is for a pull request.`,
    withSecrets: "Commit passwords and tokens, too",
    commit: "Commit and push",
  },
  keys: {
    title: "Keys",
    lead: "Add this deploy key at the forge. One that may read is enough, unless berth is to commit.",
    host: "The server must show one of these keys. Compare them with those that the forge publishes:",
    take: "Take its new keys …",
    takeQuestion:
      "berth asks the server for the keys that it shows now, and takes them. Do this only if its operator has changed them.",
  },
  signers: {
    field: "Signers",
    hint:
      "Public SSH keys, one a line, as ssh-ed25519 AAAA… ada. Only commits that one of them has signed are taken. Empty for every commit.",
    title: "Signers",
    lead: "A commit is taken only if one of these keys has signed it.",
  },
  hook: {
    title: "Hook",
    lead: "GitHub, Gitea, Forgejo and GitLab call this address after a push, and berth checks at once.",
    make: "Make a hook",
    makeQuestion: "berth makes an address, and a secret that the forge signs its calls with.",
    replace: "Make a new one",
    replaceQuestion: "The hook that is there ends: enter the new address and the new secret at the forge.",
    remove: "Remove the hook",
    removeQuestion: "Its address answers nobody any more. The branch is still checked every few minutes.",
    secretLead: "This is the secret of the hook. It is shown this once.",
    secretHint:
      "Enter it at the forge with the address, and choose JSON and pushes alone. GitLab calls it the signing token or secret token.",
  },
  fromHead: "From the newest commit, before its files are written",
};
