/** The words for logs. */
import { bytes, count, moment, number } from "./en_counts.ts";

const SPANS = { "10m": "The last 10 minutes", "1h": "The last hour", all: "All of it" } as const;

export const log = {
  label: (name: string) => `Log of ${name}`,
  search: "Search",
  matchCase: "Match case",
  pattern: "Regular expression",
  onlyErrors: "Errors",
  among: "Among the others",
  wrap: "Wrap",
  pause: "Pause",
  paused: "paused",
  refusals: {
    unfinished: "This pattern is not complete.",
    unknown: "This pattern looks back or ahead, or names something that is not known here.",
    long: "This pattern is too long.",
  },
  previous: "The one before",
  next: "The next one",
  earlier: "older ↑",
  noEarlier: {
    none: "nothing older",
    full: "as many as are held",
    many: "older lines of 16 containers at most",
  },
  follow: (amount: number) => `${number.format(amount)} new ↓`,
  toEnd: "To the end ↓",
  empty: "It has not written anything yet.",
  none: "No line holds it.",
  noRight: "You may not read logs. Ask an admin for the permission containers:logs.",
  following: "following",
  reading: "reading",
  waiting: "the connection is lost, trying again",
  refused: "trying again",
  /** `code` says why; `more` are further containers, if it is over 0. */
  unread: (name: string, engine: string, code: string, more: number) =>
    `The log of ${name} on ${engine}${more > 0 ? ` and ${count(more, "other", "others")}` : ""} ` +
    `cannot be read for now${code === "" ? "" : ` (${code})`}; berth tries again.`,
  ended: { removed: "the container is gone" } as Record<string, string>,
  over: "it is over",
  lines: (amount: number, size: number) => `${count(amount, "line", "lines")}, ${bytes(size)}`,
  since: (time: number) => Number.isNaN(time) ? "" : `, from ${moment.format(time)}`,
  dropped: (amount: number) => `the first ${number.format(amount)} are no longer held`,
  /** Lines that are missing, of one container or of the only one. */
  gap: (name: string | null, after: string, before: string | null) =>
    `the engine lost ${name === null ? "lines" : `lines of ${name}`} ${
      before === null ? `after ${after}` : `between ${after} and ${before}`
    }`,
  matches: (amount: number) => count(amount, "line fits", "lines fit"),
  matchOf: (at: number, amount: number) => `${number.format(at)} of ${count(amount, "line", "lines")}`,
  cut: (characters: number) => ` … ${number.format(characters)} characters in all`,
  line: "The line",
  around: "Show it among the others",
  linkTo: "Link to this line",
  link: "This line",
  linkLost: "The engine no longer has this line.",
  save: "Save these lines",
  download: "Download all",
  downloading: "Downloading …",
  from: "From",
  lastLines: (amount: number, isOfEach: boolean) =>
    `The last ${number.format(amount)} lines${isOfEach ? " of each" : ""}`,
  span: SPANS,
  sinceLine: "From a line on",
  leftOut: (amount: number) =>
    `${
      count(amount, "container is", "containers are")
    } left out: you may not read their logs, or they are too many.`,
};

export const logs = {
  word: "Logs",
  of: "Logs of",
  project: (name: string) => `Project ${name}`,
  workspace: (name: string) => `Folder ${name}`,
  all: "All containers",
  add: "Add a container",
  remove: (name: string) => `Without ${name}`,
  what: "Choose whose logs are shown together.",
};
