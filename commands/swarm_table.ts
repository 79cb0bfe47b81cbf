/** The commands about swarms, a part of the table of all commands. */
import type { Command } from "./command.ts";
import { JSON_OPTION, read } from "./parts.ts";

export const SWARM: readonly Command[] = [
  {
    name: "swarm",
    summary: "show the swarms that the engines are in, or change a service or a node",
    details:
      "Without an act: nodes and services; the exit code is 2 where a service lacks tasks, or a swarm has no quorum, and 4 where no manager answers. An act is shown first with what it changes, and asked about: scale, restart, rollback and remove mean a service, drain, pause and activate a node.",
    args: [
      {
        name: "act",
        kind: "text",
        optional: true,
        choices: ["scale", "restart", "rollback", "remove", "drain", "pause", "activate"],
      },
      { name: "name", kind: "text", optional: true },
      { name: "replicas", kind: "text", optional: true },
    ],
    options: [
      { name: "--dry-run", meaning: "only show what an act would change" },
      { name: "--yes", meaning: "ask nothing" },
      JSON_OPTION,
    ],
    load: () => read("./swarm.ts"),
  },
];
