/** The sentences of writing down what runs, in English. */
import { count } from "./en_counts.ts";

export const writeDown = {
  link: "Write down …",
  these: (amount: number) => `Write down ${count(amount, "container", "containers")} …`,
  choose: (name: string) => `Choose ${name}`,
  lead:
    "berth has written these containers down and compared the text with them. Nothing is saved yet, and no container has changed.",
  into: "Folder to save in",
  name: "Project",
  folderIn: (workspace: string) => `Folder in ${workspace}`,
  save: "Save as a project",
  saveThem: (amount: number) =>
    amount === 1 ? "Save as a project" : `Save as ${count(amount, "project", "projects")}`,
  progress: (done: number, all: number) => `${done} of ${all} projects are saved.`,
  again: "Write down again",
  nothingChanges: "Files are written, and the containers belong to them. None is stopped or made anew.",
  saved: (amount: number) =>
    amount === 1
      ? "Saved. The containers belong to this project now:"
      : "Saved. The containers belong to these projects now:",
  idle: (amount: number) =>
    `${count(amount, "container does", "containers do")} not run: the first plan would start ${
      amount === 1 ? "it" : "them"
    }.`,
  noFolder: "Register a folder first: the text is read with its settings.",
  gone: "None of these containers is there any more.",
  on: (engine: string) => `on ${engine}`,
  services: (amount: number) => count(amount, "container", "containers"),
  same: "The text says all that berth compares.",
  differences: "Differences that are left",
  differs: (container: string, field: string, declared: string, actual: string) =>
    `${container}, ${field}: the text says ${declared}, the container has ${actual}`,
  refused: "Not written down",
  because: (container: string, why: string) => `${container}: ${why}`,
  leftOut: "Left out, and why",
  names: (containers: readonly string[]) =>
    containers.length <= 4
      ? containers.join(", ")
      : `${containers.slice(0, 3).join(", ")} and ${containers.length - 3} more`,
  left: (container: string, field: string, why: string) => `${container}, ${field}: ${why}`,
  copyFile: (path: string) => `Copy ${path}`,
  copied: "Copied",
  reveal: "Show secrets …",
  masked: "Secrets are masked. Copy the files once they are shown.",
} as const;

export const settle = {
  open: "Write what runs into the file …",
  title: "Bring the file to the container",
  lead: (container: string) =>
    `The file gets the values of ${container}. The container does not change, and the text before is kept.`,
  fields: "Differences",
  at: (file: string, line: number) => `${file}, from line ${line}`,
  change: "The change of the file",
  save: "Save the file",
} as const;

export const adopted = {
  certain:
    "Adopted as it is. Docker Compose does not know this container until a plan of berth has replaced it once.",
  likely:
    "Another container had this name when it was adopted. Plans wait, and it gives nobody rights, until you say that this is the one.",
  confirm: "This is the one …",
  confirmLead: (name: string, project: string) =>
    `${name} belongs to ${project} from now on. The container does not change.`,
  end: "End the adoption …",
  endLead: (name: string, project: string) =>
    `${name} no longer belongs to ${project}. The container and the files stay as they are.`,
  by: (name: string) => `Adopted by ${name}.`,
} as const;
