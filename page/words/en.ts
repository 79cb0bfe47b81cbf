/** Every sentence of the page in English, and `words`: the same in the language that is spoken. */
import type { Permission } from "../../client/berth/models.ts";
import type { Seen, Verdict } from "../verdict.ts";
import { applies } from "./en_applies.ts";
import { bytes, clock, count, day, duration, minute, moment, number } from "./en_counts.ts";
import { graph } from "./en_graph.ts";
import { files } from "./en_files.ts";
import { findings } from "./en_findings.ts";
import { log, logs } from "./en_logs.ts";
import { measures } from "./en_measures.ts";
import { projects } from "./en_projects.ts";
import { records } from "./en_records.ts";
import { resources } from "./en_resources.ts";
import { type Spoken, spoken } from "./language.ts";
import { settings } from "./en_settings.ts";
import { shell } from "./en_shell.ts";

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
    keysLead: "Single letters count while nothing is written into a field.",
    single: "Use single letters",
    help: {
      palette: "this search",
      search: "to the search field of the screen, or this search",
      go: "g and a letter: to a screen",
      walk: "walk in a list, and in a log after Enter",
      choose: "choose in a list",
      act: "to what can be done",
      next: "in a log: the next and the previous line that fits",
      older: "in a log: older lines",
      wrap: "in a log: break long lines, pause",
      keys: "these keys",
      back: "close, choose none",
    },
  },
  settings,
  files,
  findings,
  projects,
  shell,
  graph,
  log,
  logs,
  applies,
  measures,
  ...records,
  ...resources,
  bar: {
    live: "live",
    notLive: (since: number) => `not live since ${clock.format(since)}`,
    connecting: "connecting",
    engine: (name: string, state: string) => `${name}: ${state}`,
    person: (name: string) => `Signed in as ${name}`,
    signOut: "Sign out",
    api: "The API",
    language: "Language",
    dense: "Dense rows",
    roomy: "Rows with more room",
  },
  problem: {
    notReached: "berth does not answer",
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
  setup: {
    title: "Set up berth",
    lead: "Whoever drives berth drives the container engine. So make the first admin now: you.",
    name: "Your name",
    password: "A password",
    passwordHint: "At least 12 characters; a sentence is easy to remember.",
    keyName: "A name for the key",
    submit: "Make me the admin",
    withKey: "I want an API key instead",
    withPassword: "I want to sign in with a password",
    makeKey: "Make the key",
    keyShown: "This is your admin key. It is shown this once: put it into your password manager.",
    copied: "Copied",
    goOn: "I have saved it, go on",
    noToken: "berth waits for its first admin",
    noTokenHint:
      "Open the link that berth printed when it started. It holds a one-time token, which is good for 30 minutes; start berth again for a new one.",
  },
  overview: {
    title: "Projects",
    question: "Is what runs what I wrote?",
    checked: (ago: string) => `checked ${ago} ago`,
    count: (verdict: Verdict, amount: number) => {
      if (verdict === "differs") return count(amount, "differs", "differ");
      return `${number.format(amount)} ${VERDICTS[verdict]}`;
    },
    wellRest: (amount: number) => count(amount, "unit is as it should be", "units are as they should be"),
    emptyTitle: "Register your first folder",
    emptyLead:
      "Name a folder with Compose files or other YAML of yours. berth reads it, changes nothing in it, and shows where what runs differs.",
    noEngine:
      "No container engine is known. Start Docker or Podman, or name one in BERTH_ENGINES; berth finds it by itself.",
    register: "Register a folder",
    path: "The folder's full path on the machine that runs berth",
    pathHint: (roots: readonly string[]) =>
      roots.length === 0
        ? "No folder is allowed yet: the setting BERTH_ROOTS names the allowed folders."
        : `Allowed are ${roots.join(", ")} and all folders below. The setting BERTH_ROOTS names them.`,
    suggested: "Found on this machine",
    notAllowed: "Not allowed yet. Start berth again with",
    inContainer: "Where berth runs in a container, mount the folder under the same path, too.",
    submit: "Register",
    log: "Log",
    shell: "Shell",
    ignore: "Ignore …",
    ignoreIt: "Ignore",
    ignoreQuestion: (name: string) =>
      `${name} is no longer shown here in this browser. The list of containers goes on saying that nobody declared it.`,
    unignore: "Show again",
    lately: "Lately",
    allEvents: "All events",
    reading: "Still being read",
    missing: "The folder is gone; it comes back by itself",
    unreadable: "The folder cannot be read",
    empty: "Nothing in it is an artifact",
    errors: (amount: number) => count(amount, "error", "errors"),
    warnings: (amount: number) => count(amount, "warning", "warnings"),
  },
  unit: {
    declared: "declared",
    runs: "runs",
    none: "nothing runs",
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
  workspace: {
    differences: "Differences",
    findings: "Findings",
    tabs: "Views of the workspace",
    noDifferences: (units: number) =>
      `What runs is what is written, in all ${count(units, "unit", "units")}.`,
    noUnits: "Nothing in this folder is declared as a unit.",
    onEngine: (container: string, backend: string) => `${container} on ${backend}`,
    forget: "Forget this workspace",
    forgetQuestion: (name: string) =>
      `Forget ${name}? Nothing on disk is touched, and you can register it again.`,
  },
  containers: {
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
    removeQuestion: (names: string, amount: number) =>
      amount === 1 ? `Remove ${names}?` : `Remove ${number.format(amount)} containers: ${names}?`,
    removeHint: (named: string) =>
      named === ""
        ? "What was written into them goes with them; they use no named volume."
        : `What was written into them goes with them. These volumes stay: ${named}.`,
    removeVolumes: (amount: number) =>
      `Remove ${count(amount, "volume", "volumes")} without a name, too, with all data in ${
        amount === 1 ? "it" : "them"
      }`,
    typeName: (name: string) => `Type ${name} to remove data`,
    removeRunning: "What runs is killed first.",
    done: { start: "started", stop: "stopped", restart: "restarted", remove: "removed" } as Record<
      string,
      string
    >,
    unchanged: "was so already",
    working: "…",
    results: "Results",
  },
  container: {
    tabs: "Views of the container",
    log: "Log",
    mounts: "Mounts",
    networks: "Networks",
    environment: "Environment",
    inspect: "Inspect",
    differences: "Differences",
    noDifferences: "It runs as it is written.",
    undeclared: "No file of a workspace declares this container.",
    gone: "This container is gone",
    toList: "To the containers",
    image: "Image",
    unit: "Unit",
    ports: "Ports",
    command: "Command",
    restartPolicy: "Restarts",
    restarts: (amount: number) => amount === 0 ? "not once" : count(amount, "time", "times"),
    noMounts: "Nothing is mounted into it.",
    noNetworks: "It is connected to no network.",
    noEnvironment: "It has no environment variables.",
    source: "Source",
    target: "Target",
    kind: "Kind",
    access: "Access",
    readOnly: "read only",
    readWrite: "read and write",
    network: "Network",
    address: "Address",
    gateway: "Gateway",
    aliases: "Aliases",
    variable: "Variable",
    value: "Value",
    masked: "Values are masked; the container has them in clear.",
    reveal: "Show the values",
    revealQuestion:
      "Show them in clear? The audit log notes who saw them, and they are gone when you leave this view.",
    mask: "Mask them again",
  },
} as const;

export type Words = Spoken<typeof english>;

/** Everything that shows a sentence waits for them. */
export const words: Words = await spoken(english);
