/** The words for projects. */
import { count, number } from "./en_counts.ts";

export const projects = {
  title: "Projects",
  list: "List",
  folders: "Folders",
  noRight: "You may not see projects. Ask an admin for the permission artifacts:read.",
  allWell: (projects: number) => `Everything runs as written (${count(projects, "project", "projects")})`,
  filter: "Filter projects",
  noMatch: "No project matches.",
  showAll: "Show all",
  name: "Project",
  state: "State",
  running: "Running",
  ports: "Ports",
  engine: "Engine",
  sorted: "sorted",
  sortedBackwards: "sorted backwards",
  runningOf: (running: number, desired: number) => `${number.format(running)} of ${number.format(desired)}`,
  runningOfUnknown: (running: number) => `${number.format(running)} of ?`,
  unfold: (name: string) => `Show the services of ${name}`,
  fold: (name: string) => `Hide the services of ${name}`,
  away: (engine: string, time: string | null) =>
    time === null ? `engine ${engine} is away` : `engine ${engine} has been away for ${time}`,
  stopped: (byHand: boolean, time: string | null) =>
    `stopped${byHand ? " by hand" : ""}${time === null ? "" : ` ${time} ago`}`,
  services: (amount: number) => count(amount, "service", "services"),
  more: (amount: number) => `${number.format(amount)} more`,
  bring: "Bring in line",
  start: "Start",
  ways: (name: string) => `More for ${name}`,
  update: "Update",
  newer: (amount: number) => count(amount, "newer image", "newer images"),
} as const;
