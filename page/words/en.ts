/** Every sentence of the page in English. */
import type { Permission } from "../../client/berth/models.ts";
import type { Verdict } from "../verdict.ts";

const number = new Intl.NumberFormat("en");
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const UNITS: readonly (readonly [unit: string, seconds: number])[] = [
  ["y", 31_536_000],
  ["mo", 2_592_000],
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
];

function count(amount: number, one: string, many: string): string {
  return `${number.format(amount)} ${amount === 1 ? one : many}`;
}

/** `3 d`, `40 s`: the largest unit that fits, and never nothing. */
function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? ["s", 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  asWritten: "as written",
  differs: "differs",
  broken: "broken",
  notStarted: "not started",
  completed: "completed",
  paused: "paused",
  unknown: "unknown",
  undeclared: "not declared",
};

export const words = {
  name: "berth",
  title: (screen: string) => `${screen} · berth`,
  number: (value: number) => number.format(value),
  duration,
  time: (ms: number) => clock.format(ms),
  verdict: (verdict: Verdict) => VERDICTS[verdict],
  /** A container by itself: nothing was compared, so it is not "as written". */
  state: (state: string, exitCode: number | null, health: string | null, restarts = 0) =>
    [
      `${state}${exitCode !== null && state !== "running" ? ` ${exitCode}` : ""}`,
      health === "unhealthy" || health === "starting" ? health : "",
      restarts > 1 ? `${number.format(restarts)} restarts` : "",
    ].filter((part) => part !== "").join(", "),
  lacks: (permission: Permission) => `This needs the permission ${permission}`,
  skip: "Skip to the content",
  cancel: "Cancel",
  close: "Close",
  copy: "Copy",
  again: "Try again",
  loading: "Reading …",
  nav: { label: "Screens", overview: "Overview", containers: "Containers" },
  bar: {
    live: "live",
    notLive: (since: number) => `not live since ${clock.format(since)}`,
    connecting: "connecting",
    engine: (name: string, state: string) => `${name}: ${state}`,
    person: (name: string) => `Signed in as ${name}`,
    signOut: "Sign out",
    api: "The API",
  },
  problem: {
    notReached: "berth does not answer",
    status: (status: number) => `berth answered with status ${status}`,
    request: (id: string) => `Request ${id}`,
    stale: (since: number) => `What you see was read at ${clock.format(since)}`,
    away: (backend: string, reason: string) => `${backend} does not answer: ${reason}`,
    notFound: "There is no such screen",
    toOverview: "To the overview",
  },
  signIn: {
    title: "Sign in",
    name: "Name",
    password: "Password",
    key: "API key",
    submit: "Sign in",
    withKey: "Sign in with an API key",
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
    title: "Overview",
    question: "Is what runs what I wrote?",
    allWell: (units: number, ago: string) =>
      `Everything runs as written (${count(units, "unit", "units")}, checked ${ago} ago)`,
    checked: (ago: string) => `checked ${ago} ago`,
    count: (verdict: Verdict, amount: number) => {
      if (verdict === "differs") return `${count(amount, "unit differs", "units differ")}`;
      return `${number.format(amount)} ${VERDICTS[verdict]}`;
    },
    wellRest: (amount: number) => count(amount, "unit is as it should be", "units are as they should be"),
    showRest: "Show them",
    hideRest: "Hide them",
    nothingDeclared: "Nothing is declared in it",
    emptyTitle: "Register your first folder",
    emptyLead:
      "Name a folder with Compose files or other YAML of yours. berth reads it, changes nothing in it, and shows where what runs differs.",
    noRight: "You may not see workspaces. Ask an admin for the permission workspaces:read.",
    noEngine:
      "No container engine is known. Start Docker or Podman, or name one in BERTH_ENGINES; berth finds it by itself.",
    workspaces: "Workspaces",
    register: "Register a folder",
    path: "The folder's full path on the machine that runs berth",
    pathHint: "For example /home/ada/projects",
    submit: "Register",
    showBoth: "Show both",
    log: "Log",
    inNoFile: "runs, in no file",
    since: (ago: string) => `for ${ago}`,
    units: (amount: number) => count(amount, "unit", "units"),
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
    engineAway: "its engine does not answer",
    at: "written at",
  },
  workspace: {
    title: (name: string) => name,
    differences: "Differences",
    findings: "Findings",
    tabs: "Views of the workspace",
    noDifferences: (units: number) =>
      `What runs is what is written, in all ${count(units, "unit", "units")}.`,
    noUnits: "Nothing in this folder is declared as a unit.",
    notRunning: "is written and does not run",
    onEngine: (container: string, backend: string) => `${container} on ${backend}`,
    elsewhere: (file: string) => `set in ${file}`,
    noFindings: "No rule has anything to say about these files.",
    rule: "Rule",
    liveHint: "Differences are in the other view.",
    truncated: (amount: number) =>
      `${count(amount, "further finding is", "further findings are")} not shown.`,
    forget: "Forget this workspace",
    forgetQuestion: (name: string) =>
      `Forget ${name}? Nothing on disk is touched, and you can register it again.`,
    asWritten: "As written",
    severity: { error: "error", warning: "warning", info: "info", hint: "hint" } as Record<string, string>,
  },
  containers: {
    title: "Containers",
    filter: "Filter by name, image, project or label",
    all: "all states",
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
    removeHint: "Their file systems go with them. Named volumes stay.",
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
  },
  log: {
    label: (name: string) => `Log of ${name}`,
    search: "Search",
    wrap: "Wrap lines",
    follow: (amount: number) => `${number.format(amount)} new ↓`,
    toEnd: "To the end ↓",
    empty: "It has not written anything yet.",
    noRight: "You may not read logs. Ask an admin for the permission containers:logs.",
    following: "following",
    reading: "reading",
    waiting: "the connection is lost, trying again",
    ended: {
      removed: "the container is gone",
      not_allowed: "you may not read it any more",
      stopping: "berth stops",
    } as Record<
      string,
      string
    >,
    lines: (amount: number) => count(amount, "line", "lines"),
    dropped: (amount: number) => `the first ${number.format(amount)} are no longer held`,
    gap: (after: string, before: string | null) =>
      `the engine lost lines ${before === null ? `after ${after}` : `between ${after} and ${before}`}`,
    matches: (amount: number) => count(amount, "line fits", "lines fit"),
    cut: "… the line goes on",
  },
} as const;
