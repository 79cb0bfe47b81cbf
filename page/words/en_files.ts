/** The words for files and for writing to them. */
import { bytes, count, moment } from "./en_counts.ts";

export const files = {
  word: "Files",
  list: "Files of the folder",
  none: "No file of this folder was read.",
  choose: "Choose a file to read it.",
  label: (path: string) => `Text of ${path}`,
  unchecked: (reason: string) => `Not checked as it is now; trying again: ${reason}`,
  unloaded: "The editor could not be loaded. Reload the page.",
  gone: "This file is not read any more.",
  clear: (path: string) => `${path} in clear, to read`,
  notYet: (path: string) => `${path} is not there yet`,
  makeWith: (path: string, name: string) => `Make ${path} with ${name}`,
  findings: "Findings",
  noFindings: "No rule has anything to say about this file.",
  toLine: (line: number) => `Line ${line}`,
  staleIn: (container: string, target: string) =>
    `${container} mounts this file as ${target} and still reads the text before: apply a plan to restart it.`,
  stale: "It cannot be read as it is now; berth goes on with the last text that could be.",
  readOnly: "Read only: an admin has not made this folder editable.",
  cannotWrite: "You may read this file. To change it you need the permission workspaces:files.",
  makeEditable: "Make it editable",
  makeEditableQuestion: (name: string) =>
    `Let everybody with the permission workspaces:files write to the files of the folder ${name}? What is in them decides what runs once they are applied.`,
  makeReadOnly: "Make it read-only",
  unsaved: "not saved",
  save: "Save …",
  saveTitle: (path: string) => `Save ${path}?`,
  saveIt: "Save",
  saved: "Saved",
  discard: "Discard",
  discardQuestion: (path: string) => `Discard what you wrote in ${path}?`,
  search: "Search",
  difference: "What changes",
  same: (amount: number) => `${count(amount, "line", "lines")} as before`,
  added: "added",
  removed: "removed",
  noDifference: "Nothing changes.",
  wrong: (errors: number, warnings: number) =>
    [
      errors === 0 ? "" : count(errors, "error", "errors"),
      warnings === 0 ? "" : count(warnings, "warning", "warnings"),
    ].filter((part) => part !== "").join(" and "),
  withFindings: (what: string) => `The rules have something to say: ${what}. It can be saved all the same.`,
  masks:
    "Masked values stay what they are as long as their masks stay where they are. Write over one to change it.",
  moved: "Somebody else has saved this file since you opened it. Nothing of yours is lost.",
  showTheirs: "What they changed",
  takeTheirs: "Take theirs, discard mine",
  keepMine: "Go on with mine on top of theirs",
  versions: "Earlier texts",
  noVersions: "There is none yet: berth keeps the last twenty texts that it replaced.",
  version: (ms: number, by: string, size: number) =>
    `until ${moment.format(ms)}, replaced by ${by}, ${bytes(size)}`,
  putBack: "Put it back",
  phrases: {} as Readonly<Record<string, string>>,
};
