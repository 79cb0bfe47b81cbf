/** The English sentences of what is loaded later, and `words`: all of them in the language that is spoken. */
import { words as first } from "./en.ts";
import { applies } from "./en_applies.ts";
import { audited } from "./en_audit.ts";
import { permissions } from "./en_permissions.ts";
import { count, number } from "./en_counts.ts";
import { files } from "./en_files.ts";
import { findings } from "./en_findings.ts";
import { graph } from "./en_graph.ts";
import { incidents } from "./en_incidents.ts";
import { log, logs } from "./en_logs.ts";
import { notices } from "./en_notices.ts";
import { records } from "./en_records.ts";
import { registries } from "./en_registries.ts";
import { swarm } from "./en_swarm.ts";
import { resources } from "./en_resources.ts";
import { settings } from "./en_settings.ts";
import { shell } from "./en_shell.ts";
import { sources } from "./en_sources.ts";
import { updates } from "./en_updates.ts";
import { adopted, settle, writeDown } from "./en_write_down.ts";
import { type Spoken, spoken } from "./language.ts";

const english = {
  register: {
    emptyTitle: "Register your first folder",
    emptyLead:
      "Name a folder with Compose files or other YAML of yours. berth reads it, changes nothing in it, and shows where what runs differs.",
    noEngine:
      "No container engine is known. Start Docker or Podman, or name one in BERTH_ENGINES; berth finds it by itself.",
    path: "The folder's full path on the machine that runs berth",
    pathHint: (roots: readonly string[]) =>
      roots.length === 0
        ? "No folder is allowed yet: the setting BERTH_ROOTS names the allowed folders."
        : `Allowed are ${roots.join(", ")} and all folders below. The setting BERTH_ROOTS names them.`,
    submit: "Register",
  },
  folder: {
    reading: "Still being read",
    missing: "The folder is gone; it comes back by itself",
    unreadable: "The folder cannot be read",
    empty: "Nothing in it is an artifact",
    errors: (amount: number) => count(amount, "error", "errors"),
    warnings: (amount: number) => count(amount, "warning", "warnings"),
  },
  undeclared: {
    ignore: "Ignore …",
    ignoreIt: "Ignore",
    ignoreQuestion: (name: string) =>
      `${name} is no longer shown here and no longer counts, for everybody. It shows again once a file declares it.`,
    ignored: (amount: number) => `${count(amount, "row is", "rows are")} ignored.`,
    show: "Show",
    hide: "Hide",
    unignore: "Show again",
    before: (amount: number) => `${count(amount, "row was", "rows were")} ignored in this browser alone.`,
    takeOver: "Ignore for everybody",
    forget: "Show again here",
  },
  lately: {
    title: "Lately",
    all: "All events",
  },
  removal: {
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
  },
  keys: {
    lead: "Single letters count while nothing is written into a field.",
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
  newProject: {
    startFrom: "Start from",
    ways: {
      example: "An example",
      pasted: "Pasted Compose file",
      run: "A docker run line",
      copy: "Copy of a project",
    },
    pasteHint: "Paste the text into the editor below.",
    copyOf: "The project to copy",
    choose: "Choose …",
    hidden: (amount: number) =>
      `${count(amount, "value is", "values are")} hidden and left empty: write ${
        amount === 1 ? "it" : "them"
      } anew.`,
    nameFirst: "The files are checked once the project has a name.",
    runLine: "The line",
    readLine: "Read the line",
    replacesText: "The text below is replaced. Nothing is saved, and nothing runs.",
    notTaken: (flags: string) => `Not in the text: ${flags}`,
    taken: (name: string) => `The folder ${name} has files already: choose another name`,
    noFolder: "Register a folder first: a project is a folder in it.",
    name: "Name",
    nameHint: "Small letters, digits, - and _, as it is the name of a folder and of a Compose project.",
    makes: (path: string) => `Makes ${path}`,
    folder: "Folder",
    addFile: "+ File",
    fileName: "Name of the file, below the project's folder",
    add: "Add",
    saveAndPlan: "Save and plan",
    nothingStarts: "Nothing starts before you have read the plan.",
  },
  places: {
    found: "Folders of what runs",
    by: (containers: number) =>
      `Found by the labels of ${
        count(containers, "container", "containers")
      }. berth reads these folders; it writes only where an admin allows it.`,
    projects: (total: number, names: string, more: number) =>
      `${count(total, "running project", "running projects")}: ${names}${
        more > 0 ? ` and ${number.format(more)} more` : ""
      }`,
    outside: (roots: string) =>
      roots === "" ? " No folder is allowed yet." : ` Outside of the allowed folders (${roots}).`,
    add: "Add",
    howToAllow: "How to allow it",
    allow: "Start berth again with",
    inContainer: "Where berth runs in a container, mount the folder under the same path, too.",
    another: "Another folder",
  },
  project: {
    noneTitle: "No project yet",
    noneLead: (folders: number) =>
      `berth reads ${
        count(folders, "folder", "folders")
      } and finds no project in it. Put a compose.yaml there, or register another folder.`,
    toFolders: "To the folders",
    servicesOf: (name: string) => `Services of ${name}`,
    servicesWord: "Services",
    addFolder: "Add folder",
    containers: (amount: number) => count(amount, "container", "containers"),
    looseOn: (amount: number, engine: string) => `${count(amount, "container", "containers")} on ${engine}`,
    inNoProject: "in no project",
    which: (name: string) => `Several projects are called ${name}`,
    tabs: "Views of the project",
    history: "History",
    noHistory: "Nothing has happened to it yet.",
    saved: "was saved",
    on: (engines: string) => `on ${engines}`,
    folder: "declared in",
    inFolder: "in the folder",
    onlyRuns: (running: number) =>
      `${count(running, "container runs", "containers run")}, and no file declares it.`,
    onlyRunsLead:
      "Register the folder that it was started from, and berth compares what runs with its files.",
    from: (folder: string) => `not declared · from ${folder}`,
    inNoFile: "running, in no file that berth reads",
    bringAll: (amount: number) =>
      amount === 1 ? "Bring in line …" : `Bring ${number.format(amount)} in line …`,
    undeclared: "Not declared",
    /** `3 projects, 12 containers: running, in no file that berth reads`. */
    undeclaredOf: (projects: number, containers: number) =>
      `${
        [
          ...projects > 0 ? [count(projects, "project", "projects")] : [],
          ...containers > 0 ? [count(containers, "container", "containers")] : [],
        ].join(", ")
      } in no file that berth reads`,
  },
  setup: {
    lead:
      "berth controls your containers, so everyone who uses it signs in. Start with yourself: you become the admin.",
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
  workspace: {
    wellRest: (amount: number) =>
      count(amount, "service is as it should be", "services are as they should be"),
    differences: "Differences",
    findings: "Findings",
    tabs: "Views of the folder",
    noDifferences: (units: number) =>
      `What runs is what is written, in all ${count(units, "service", "services")}.`,
    noUnits: "No file of this folder declares a service.",
    onEngine: (container: string, backend: string) => `${container} on ${backend}`,
    forget: "Forget this folder",
    forgetQuestion: (name: string) =>
      `Forget ${name}? Nothing on disk is touched, and you can register it again.`,
  },
  container: {
    shell: "Shell",
    tabs: "Views of the container",
    log: "Log",
    mounts: "Mounts",
    networks: "Networks",
    environment: "Environment",
    inspect: "Inspect",
    differences: "Differences",
    noDifferences: "It runs as it is written.",
    undeclared: "No file of a registered folder declares this container.",
    gone: "This container is gone",
    image: "Image",
    unit: "Service",
    ports: "Ports",
    command: "Command",
    restartPolicy: "Restart policy",
    restarts: (amount: number) =>
      amount === 0 ? "never restarted" : `restarted ${count(amount, "time", "times")}`,
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
  audited,
  permissions,
  settings,
  files,
  findings,
  shell,
  sources,
  graph,
  incidents,
  notices,
  log,
  logs,
  applies,
  ...records,
  registries,
  swarm,
  updates,
  ...resources,
  settle,
  writeDown,
  adopted,
} as const;

export type Words = typeof first & Spoken<typeof english>;

export const words: Words = { ...(await spoken(english)), ...first };
