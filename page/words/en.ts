/** The English sentences of what is shown first, and `words`: the same in the language that is spoken. */
import type { Permission } from "../../client/berth/models.ts";
import type { Seen, Verdict } from "../verdict.ts";
import { bytes, clock, count, day, duration, minute, moment, number } from "./en_counts.ts";
import { causes } from "./en_causes.ts";
import { measures } from "./en_measures.ts";
import { projects } from "./en_projects.ts";
import { type Spoken, spoken } from "./language.ts";

const VERDICTS: Readonly<Record<Verdict, string>> = {
  asWritten: "as written",
  differs: "differs",
  broken: "broken",
  stopped: "stopped",
  notStarted: "not started",
  completed: "completed",
  paused: "paused",
  unknown: "unknown",
  undeclared: "not declared",
};

const english = {
  name: "berth",
  title: (screen: string) => `${screen} · berth`,
  number: (value: number) => number.format(value),
  duration,
  time: (ms: number) => clock.format(ms),
  minute: (ms: number) => minute.format(ms),
  moment: (ms: number) => moment.format(ms),
  day: (ms: number) => day.format(ms),
  bytes,
  printed: (address: string, ms: number) => `${address}, ${day.format(ms)}, ${clock.format(ms)}`,
  ago: (time: string) => `${time} ago`,
  verdict: (verdict: Verdict) => VERDICTS[verdict],
  /** A container by itself: nothing was compared, so it is not "as written". */
  state: ({ state, condition, exitCode, health, restartCount }: Seen) =>
    [
      state === "exited" && exitCode !== null ? `exited ${exitCode}` : state,
      state === "restarting" && exitCode !== null ? `exit ${exitCode}` : "",
      health === "unhealthy" || health === "starting" ? health : "",
      condition === "restarting" && restartCount > 1 ? `${number.format(restartCount)} restarts` : "",
    ].filter((part) => part !== "").join(", "),
  compared: (state: string, verdict: Verdict) => `${state}, ${VERDICTS[verdict]}`,
  noRight: (permission: Permission) => `You may not see this. Ask an admin for the permission ${permission}.`,
  lacks: (permission: Permission) => `This needs the permission ${permission}`,
  skip: "Skip to the content",
  cancel: "Cancel",
  close: "Close",
  copy: "Copy",
  copied: "Copied",
  saved: "I have saved it",
  actions: "Actions",
  /** For users who hear a button without seeing its row. */
  actOn: (action: string, name: string) => `${action} ${name}`,
  again: "Try again",
  loading: "Reading …",
  nav: {
    label: "Screens",
    overview: "Projects",
    containers: "Containers",
    resources: "Resources",
    activity: "Activity",
    settings: "Settings",
    /** The screens of one of them. */
    within: (name: string) => `Screens of ${name}`,
  },
  /** Screens that a menu or an address names before they are loaded. */
  proofDone: "You can close this window.",
  titles: {
    newProject: "New project",
    plan: "Plan",
    planOf: (name: string) => `Plan for ${name}`,
    apply: "Apply",
    logs: "Logs",
    images: "Images",
    volumes: "Volumes",
    networks: "Networks",
    swarm: "Swarm",
    services: "Services",
    disk: "Disk",
    events: "Events",
    incidents: "Incidents",
    audit: "Audit",
    setup: "Set up berth",
    keys: "API keys",
    people: "People",
    sessions: "My sessions",
    engines: "Engines",
    registries: "Registries",
    updates: "Newer images",
    writeDown: "Written down",
    notices: "Notices",
    setPassword: "Set your password",
  },
  palette: {
    open: "Go to …",
    title: "Go to or do",
    input: "A screen, a project, a container or an action",
    none: "Nothing fits.",
    screen: "screen",
    project: "project",
    unit: "unit",
    container: "container",
    action: "action",
    keys: "Keys",
  },
  projects,
  causes,
  measures,
  bar: {
    live: "live",
    neverLive: "not live",
    notLive: (since: number) => `not live since ${clock.format(since)}`,
    connecting: "connecting",
    engine: (name: string, state: string) => `${name}: ${state}`,
    person: (name: string) => `Signed in as ${name}`,
    signOut: "Sign out",
    api: "The API",
    language: "Language",
    dense: "Dense rows",
    roomy: "Rows with more room",
    themes: { system: "Colours of the system", light: "Light colours", dark: "Dark colours" },
  },
  problem: {
    notReached: "berth does not answer",
    notLive: "berth does not answer live. Does the proxy before it pass on WebSockets?",
    notKnown:
      "berth has not answered in time. Whether it is done is not known yet; what you see shows how it ends",
    status: (status: number) => `berth answered with status ${status}`,
    request: (id: string) => `Request ${id}`,
    stale: (since: number) => `What you see was read at ${clock.format(since)}`,
    away: (backend: string, reason: string) => `${backend} does not answer: ${reason}`,
    unlisted: (backend: string, kinds: readonly string[], reason: string) =>
      `${backend} does not list its ${kinds.join(" and ")}: ${reason}`,
    unloaded: "This screen could not be loaded. Reload the page.",
    notFound: "There is no such screen",
    toOverview: "To the projects",
  },
  signIn: {
    title: "Sign in",
    name: "Name",
    password: "Password",
    key: "API key",
    submit: "Sign in",
    withKey: "Sign in with an API key",
    at: (provider: string) => `Sign in with ${provider}`,
    refused: (provider: string) => `${provider} did not let you in`,
    withPassword: "Sign in with a password",
    ended: "Your session has ended. Sign in to go on where you were.",
    keyHint: "It buys a session and is not stored in this browser.",
  },
  overview: {
    title: "Projects",
    question: "Is what runs what I wrote?",
    checked: (ago: string) => `checked ${ago} ago`,
    count: (verdict: Verdict, amount: number) => {
      if (verdict === "differs") return count(amount, "differs", "differ");
      return `${number.format(amount)} ${VERDICTS[verdict]}`;
    },
    register: "Register a folder",
    log: "Log",
  },
  unit: {
    declared: "declared",
    runs: "runs",
    ran: "ran",
    none: "nothing",
    /** `the container reads the file of 11:02; it was replaced at 14:31`. */
    mount: (state: string, started: string, at: string | null) =>
      `the container reads the file of ${started}; ${
        state === "deleted"
          ? "it was deleted"
          : state === "changedSince"
          ? "it was written to"
          : "it was replaced"
      }${at === null ? "" : ` at ${at}`}`,
    restarting: "restarting",
    exited: (code: number | null) => code === null ? "exited" : `exited with ${code}`,
    /** `exit 137, 5 restarts: no space left`. */
    rolledBack: (at: string | null, reason: string) =>
      `Rolled back${at === null ? "" : ` at ${at}`}: ${reason}`,
    ended: (code: number | null, restarts: number, reason: string | null) =>
      [
        code === null ? "" : `exit ${code}`,
        restarts === 0 ? "" : count(restarts, "restart", "restarts"),
        reason ?? "",
      ]
        .filter((part) => part !== "").join(", "),
    unhealthy: "unhealthy",
    dead: "dead",
    degraded: (running: number, desired: number | null) =>
      desired === null ? `${running} run` : `${running} of ${desired} run`,
    at: "written at",
  },
  containers: {
    together: "Logs together",
    toList: "To the containers",
    title: "Containers",
    filter: "Filter by name, image, project or label",
    all: "all states",
    allProjects: "all projects",
    allEngines: "all engines",
    engine: "Engine",
    arrived: (amount: number) => `${number.format(amount)} new`,
    shown: (shown: number, total: number) =>
      shown === total
        ? count(total, "container", "containers")
        : `${number.format(shown)} of ${number.format(total)}`,
    name: "Name",
    state: "State",
    project: "Project",
    image: "Image",
    ports: "Ports",
    since: "Since",
    choose: (name: string) => `Choose ${name}`,
    chooseAll: "Choose all that are shown",
    chosen: (amount: number) => `${number.format(amount)} chosen`,
    clear: "Choose none",
    none: "No container exists on any engine.",
    noneHint: "As soon as one is made it shows here.",
    noMatch: "No container fits.",
    showAll: "Show all",
    noRight: "You may not see containers. Ask an admin for the permission containers:read.",
    start: "Start",
    stop: "Stop",
    restart: "Restart",
    remove: "Remove",
    done: { start: "started", stop: "stopped", restart: "restarted", remove: "removed" } as Record<
      string,
      string
    >,
    unchanged: "was so already",
    working: "…",
    results: "Results",
  },
} as const;

export type Words = Spoken<typeof english>;

/** Everything that shows a sentence waits for them. */
export const words: Words = await spoken(english);
