/** The words for projects. */
import { count, number } from "./en_counts.ts";

export const projects = {
  title: "Projects",
  list: "List",
  folders: "Folders",
  noRight: "You may not see projects. Ask an admin for the permission artifacts:read.",
  noneTitle: "No project yet",
  noneLead: (folders: number) =>
    `berth reads ${
      count(folders, "folder", "folders")
    } and finds no project in it. Put a compose.yaml there, or register another folder.`,
  toFolders: "To the folders",
  allWell: (projects: number, ago: string) =>
    `Everything runs as written (${count(projects, "project", "projects")}, checked ${ago} ago)`,
  filter: "Filter projects",
  noMatch: "No project matches.",
  showAll: "Show all",
  name: "Project",
  state: "State",
  running: "Running",
  ports: "Ports",
  engine: "Engine",
  runningOf: (running: number, desired: number) => `${number.format(running)} of ${number.format(desired)}`,
  runningOfUnknown: (running: number) => `${number.format(running)} of ?`,
  unfold: (name: string) => `Show the services of ${name}`,
  fold: (name: string) => `Hide the services of ${name}`,
  away: (engine: string, time: string | null) =>
    time === null ? `engine ${engine} is away` : `engine ${engine} has been away for ${time}`,
  stopped: (byHand: boolean, time: string | null) =>
    `stopped${byHand ? " by hand" : ""}${time === null ? "" : ` ${time} ago`}`,
  services: (amount: number) => count(amount, "service", "services"),
  servicesOf: (name: string) => `Services of ${name}`,
  servicesWord: "Services",
  more: (amount: number) => `${number.format(amount)} more`,
  bring: "Bring in line",
  bringAll: (amount: number) => amount === 1 ? "Bring in line …" : `Bring ${number.format(amount)} in line …`,
  start: "Start",
  undeclared: "Not declared",
  inNoFile: "running, in no file that berth reads",
  from: (folder: string) => `not declared · from ${folder}`,
  addFolder: "Add folder",
  containers: (amount: number) => count(amount, "container", "containers"),
  looseOn: (amount: number, engine: string) => `${count(amount, "container", "containers")} on ${engine}`,
  inNoProject: "in no project",
  ignored: (amount: number) => `${count(amount, "row is", "rows are")} ignored in this browser.`,
  which: (name: string) => `Several projects are called ${name}`,
  tabs: "Views of the project",
  history: "History",
  noHistory: "Nothing was applied to it yet.",
  on: (engines: string) => `on ${engines}`,
  folder: "declared in",
  onlyRuns: (running: number) =>
    `${count(running, "container runs", "containers run")}, and no file declares it.`,
  onlyRunsLead: "Register the folder that it was started from, and berth compares what runs with its files.",
} as const;
