/** The commands that make files of what runs. */

import type { Command } from "./command.ts";
import { CONTAINER, ENGINE_OPTIONS, JSON_OPTION, read } from "./parts.ts";

export const ADOPTING: readonly Command[] = [
  {
    name: "adopt",
    summary: "take containers that run over as a project of a folder, as they are",
    details:
      "Shows the files as draft does, asks, and writes them into a folder of berth's machine: .env for its owner alone. The containers then belong to the project, and no container changes. The exit code is 2 when something cannot be written; then nothing was.",
    args: [{ ...CONTAINER, many: true }],
    options: [
      { name: "--into", value: "folder", meaning: "the folder below the workspace, instead of the name" },
      { name: "--name", value: "name", meaning: "make all of them one project of this name" },
      {
        name: "--workspace",
        value: "id",
        meaning: "the workspace to write into, where there are several",
      },
      { name: "--yes", meaning: "ask nothing" },
      ...ENGINE_OPTIONS,
      JSON_OPTION,
    ],
    load: () => read("./adopt.ts"),
  },
  {
    name: "draft",
    summary: "write containers that run down as a Compose project",
    details:
      "Reads the text back and names every difference that is left, and what no file can say. Values that look like secrets go to .env. No container changes, and berth does not take them over. The exit code is 2 when something could not be written.",
    args: [{ ...CONTAINER, many: true }],
    options: [
      {
        name: "--into",
        value: "folder",
        meaning: "write the files into this folder of this machine, secrets too",
      },
      { name: "--name", value: "name", meaning: "make all of them one project of this name" },
      {
        name: "--workspace",
        value: "id",
        meaning: "the folder of berth to read the text in, where there are several",
      },
      ...ENGINE_OPTIONS,
      JSON_OPTION,
    ],
    load: () => read("./draft.ts"),
  },
  {
    name: "from-run",
    summary: "print a line of docker run as the files of a project",
    details:
      "Give the whole line in quotes. Nothing is saved and nothing runs. Flags that no file can say are named, and the exit code is 2 then.",
    args: [{ name: "line", kind: "text" }],
    options: [JSON_OPTION],
    load: () => read("./from_run.ts"),
  },
  {
    name: "settle",
    summary: "write what runs into the file, where both differ",
    details:
      "Means one service, as shop/web, and fields as berth status and the page name them; without fields it lists them. Shows the change of the file, asks, and saves it only if nothing else that berth reads is another by it. No container changes.",
    args: [{ name: "service", kind: "project" }, { name: "field", kind: "text", optional: true, many: true }],
    options: [
      { name: "--container", value: "name", meaning: "the container to take the values of, of several" },
      { name: "--yes", meaning: "ask nothing" },
    ],
    load: () => read("./settle.ts"),
  },
];
