/** The commands about swarms, a part of the table of all commands. */
import type { Command } from "./command.ts";
import { JSON_OPTION, read } from "./parts.ts";

export const SWARM: readonly Command[] = [
  {
    name: "swarm",
    summary: "show the nodes and services of the swarms that the engines are in",
    details: "The exit code is 2 where a service lacks tasks, or a swarm has no quorum.",
    args: [],
    options: [JSON_OPTION],
    load: () => read("./swarm.ts"),
  },
];
