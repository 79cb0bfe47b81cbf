/** Every command of the command line: its arguments, options and file. Help, completion and the manual page are written from this table. */

import { ADOPTING } from "./adopt_table.ts";
import type { Argument, Command, Option } from "./command.ts";
import { CONTAINER, ENGINE_OPTIONS, JSON_OPTION, read } from "./parts.ts";
import { REGISTRIES } from "./registries_table.ts";
import { SWARM } from "./swarm_table.ts";
import { PLAN_FLAGS } from "./plan_options.ts";

const PROJECT: Argument = { name: "project", kind: "project" };
const GROUP: Option = { name: "--group", value: "name", meaning: "only this project of a folder" };
const MEANT =
  "A project is meant by its id, as berth status lists it, or by its name; shop/web is one service of it. A folder, by its path, id or name, means all its projects.";

export const COMMANDS: readonly Command[] = [
  {
    name: "serve",
    summary: "start the service (what happens without a command)",
    details: "SIGTERM and SIGINT stop it once open requests are answered.",
    args: [],
    options: [],
    // A constant: the service's modules are read before the first line runs.
    load: () => import("./serve.ts"),
  },
  {
    name: "validate",
    summary: "check the artifacts of a folder",
    details: "Needs no running service.",
    args: [{ name: "folder", kind: "folder" }],
    options: [{
      name: "--format",
      value: "format",
      choices: ["text", "json", "sarif", "github"],
      meaning: "how findings are written; text unless said otherwise",
    }],
    load: () => read("./validate.ts"),
  },
  {
    name: "source",
    summary: "say how far a folder is behind the Git branch that it follows",
    details:
      "Asks a running berth. The exit code is 0 where the folder is up to date, 2 where commits wait, and 1 where the last check failed.",
    args: [{ name: "folder", kind: "folder" }],
    options: [{ name: "--check", meaning: "ask the repository now" }, JSON_OPTION],
    load: () => read("./source.ts"),
  },
  {
    name: "sync",
    summary: "write a commit into a folder, and apply what it changes",
    details:
      "Shows what the newest commit changes, asks, writes it whole or not at all, and applies the changed projects one after the other. Names the other projects of the folder that are not as its files say, and ends with 2 then. An earlier commit is written alone: apply what you want of it.",
    args: [{ name: "folder", kind: "folder" }],
    options: [
      {
        name: "--commit",
        value: "id",
        meaning: "another commit that the branch lists, by the beginning of its id",
      },
      { name: "--keep", value: "path", meaning: "a file in the way that stays as it is; may be repeated" },
      {
        name: "--overwrite",
        value: "path",
        meaning: "a file in the way that is overwritten, its text kept; may be repeated",
      },
      { name: "--yes", meaning: "ask nothing" },
    ],
    load: () => read("./sync.ts"),
  },
  {
    name: "plan",
    summary: "say what would bring a project up, and because of which lines",
    details: `Asks a running berth; nothing is changed. ${MEANT}`,
    args: [PROJECT],
    options: [
      GROUP,
      ...PLAN_FLAGS,
      {
        name: "--format",
        value: "format",
        choices: ["text", "json", "markdown"],
        meaning: "how plans are written; text unless said otherwise",
      },
    ],
    load: () => read("./plan.ts"),
  },
  {
    name: "apply",
    summary: "bring a project up, exactly as its plan says",
    details:
      `Shows the plan, asks, and follows the apply, which continues in berth even if this command ends. ${MEANT} With --yes, a name alone is refused.`,
    args: [PROJECT],
    options: [
      GROUP,
      ...PLAN_FLAGS,
      {
        name: "--on-failure",
        value: "what",
        choices: ["stop", "rollback"],
        meaning:
          "of a stack, once a step fails: leave what is done, or take it back; stop unless said otherwise",
      },
      { name: "--yes", meaning: "ask nothing: what stands in the plan is meant" },
      JSON_OPTION,
    ],
    load: () => read("./apply.ts"),
  },
  {
    name: "status",
    summary: "say of each project whether it runs as it is written, and why not",
    details:
      "A project is meant by its id or its name. Of several exit codes, that of a broken project counts most, then that of a missing answer.",
    args: [{ ...PROJECT, optional: true, many: true }],
    options: [{ name: "--names", meaning: "print ids alone, one a line" }, JSON_OPTION],
    load: () => read("./status.ts"),
  },
  {
    name: "incidents",
    summary: "list what was not as it should be, since when, and because of what",
    details: "Newest first, 500 at most. The exit code is 2 while one is open, listed or not.",
    args: [],
    options: [{ name: "--open", meaning: "only those that are open" }, JSON_OPTION],
    load: () => read("./incidents.ts"),
  },
  {
    name: "endings",
    summary: "list how the containers of a service ended, also those that are gone",
    details:
      "Newest first, 50 at most. A service is meant by its unit, as berth incidents names it: shop.web. --log prints what " +
      "the newest of them said last.",
    args: [{ name: "unit", kind: "text" }],
    options: [
      { name: "--log", meaning: "what the container said last, of the newest that has words" },
      JSON_OPTION,
    ],
    load: () => read("./endings.ts"),
  },
  {
    name: "mute",
    summary: "tell nobody of a scope for a while, as during a backup, or list what is muted",
    details:
      "A scope is project:shop, workspace:nas or engine:docker. What is still wrong at the end is told then; --end ends it " +
      "at once.",
    args: [{ name: "scope", kind: "text", optional: true }],
    options: [
      { name: "--for", value: "time", meaning: "how long, as 30m, 2h or 7d, which is the most" },
      { name: "--unit", value: "name", meaning: "only this service of it, as shop.web" },
      { name: "--end", meaning: "end it" },
      JSON_OPTION,
    ],
    load: () => read("./mute.ts"),
  },
  {
    name: "notices",
    summary: "list the targets that are told of incidents, or test one",
    details: "berth notices test NAME sends a marked message at once, and says what came of it.",
    args: [{ name: "act", kind: "text", choices: ["test"], optional: true }, {
      name: "name",
      kind: "text",
      optional: true,
    }],
    options: [JSON_OPTION],
    load: () => read("./notices.ts"),
  },
  {
    name: "ls",
    summary: "list the containers of a running berth",
    args: [],
    options: [
      {
        name: "--state",
        value: "state",
        choices: ["created", "running", "paused", "restarting", "removing", "exited", "dead", "unknown"],
        meaning: "only those in this state",
      },
      { name: "--project", value: "name", meaning: "only those of this Compose project" },
      { name: "--names", meaning: "print names alone, one a line" },
      JSON_OPTION,
    ],
    load: () => read("./ls.ts"),
  },
  {
    name: "updates",
    summary: "list the images of projects that have a newer one at their registry",
    details:
      "Asks a running berth for what it knows; no registry is asked by this. The exit code is 2 when there is a newer image, and 4 when some could not be compared. berth updates shop --take 1.4.5 shows the change of the file, asks, writes it, and applies the project. With --apply it is 1 where a project is blocked or went back.",
    args: [{ ...PROJECT, optional: true }],
    options: [
      { name: "--all", meaning: "those that are up to date, too" },
      {
        name: "--apply",
        meaning: "update all projects that have a newer image, one after the other, to the first that fails",
      },
      { name: "--take", value: "version", meaning: "write this newer version into its file, and apply" },
      {
        name: "--back",
        meaning: "write the version that runs again into its file, after another one failed",
      },
      { name: "--yes", meaning: "ask nothing: what is shown is meant" },
      {
        name: "--automatic",
        value: "switch",
        choices: ["on", "off"],
        meaning: "whether berth updates the project by itself, with your rights of the day",
      },
      {
        name: "--window",
        value: "times",
        meaning: "when it may begin, as 02:00-05:00, by this machine's clock",
      },
      JSON_OPTION,
    ],
    load: () => read("./updates.ts"),
  },
  {
    name: "prune",
    summary: "list what nobody uses, ask, and remove exactly that",
    details:
      "Without types: containers that do not run, networks, images without a name, and build cache; volumes only where they are named. What files of registered folders declare is left out, unless --declared is said.",
    args: [{
      name: "type",
      kind: "text",
      optional: true,
      many: true,
      choices: ["containers", "networks", "images", "buildCache", "volumes"],
    }],
    options: [
      { name: "--tagged", meaning: "images with a name, too, that no container needs which stays" },
      { name: "--declared", meaning: "what files of registered folders declare, too" },
      { name: "--older", value: "age", meaning: "only what was made longer ago, as 24h or 30d" },
      { name: "--engine", value: "name", meaning: "only on this engine" },
      { name: "--list", meaning: "only list it" },
      { name: "--yes", meaning: "ask nothing: what is listed is meant" },
      JSON_OPTION,
    ],
    load: () => read("./prune.ts"),
  },
  ...SWARM,
  ...REGISTRIES,
  {
    name: "logs",
    summary: "print the log of a container, or of a project's containers",
    details:
      "A container by its name or id; else a project or one of its services, as berth plan knows them. Several logs are put in the order of their times, or come as they are written with --follow, each line behind its container's name.",
    args: [CONTAINER],
    options: [
      { name: "--follow", short: "-f", meaning: "go on with every new line" },
      { name: "--tail", short: "-n", value: "count", meaning: "begin with the last lines" },
      { name: "--since", value: "time", meaning: "an RFC 3339 time, or how long ago: 10m" },
      { name: "--timestamps", short: "-t", meaning: "begin each line with its time" },
      ...ENGINE_OPTIONS,
      JSON_OPTION,
    ],
    load: () => read("./logs.ts"),
  },
  {
    name: "exec",
    summary: "run a command in a container",
    details:
      "Without a command the best shell of the container runs. The exit code is the command's, or 125 when it could not be run.",
    args: [CONTAINER, { name: "command", kind: "text", optional: true, rest: true }],
    options: [
      { name: "--user", short: "-u", value: "user", meaning: "run as this user" },
      { name: "--workdir", short: "-w", value: "folder", meaning: "run in this folder of the container" },
      ...ENGINE_OPTIONS,
    ],
    load: () => read("./exec.ts"),
  },
  ...ADOPTING,
  {
    name: "folders",
    summary: "list the folders that may become workspaces of a running berth",
    details:
      "Names the allowed folders, then those found on berth's machine that are not registered yet, each with the setting that it lacks.",
    args: [],
    options: [JSON_OPTION],
    load: () => read("./folders.ts"),
  },
  {
    name: "login",
    summary: "check an API key and remember it for the commands above",
    details:
      "Reads the key from standard input, without showing it. It is kept with the address in a file that only you can read.",
    args: [{ name: "address", kind: "text", optional: true }],
    options: [],
    load: () => read("./login.ts"),
  },
  {
    name: "health",
    summary: "ask whether the service on this machine lives",
    args: [],
    options: [{ name: "--ready", meaning: "ask whether it can serve: store, engines, not stopping" }],
    load: () => read("./health.ts"),
  },
  {
    name: "doctor",
    summary: "look for common mistakes in the setup, and say how to mend each",
    details:
      "Run it as the user of the service and with its settings. The exit code is 1 when something must be mended.",
    args: [],
    options: [JSON_OPTION],
    load: () => read("./doctor.ts"),
  },
  {
    name: "backup",
    summary: "write a complete copy of the store, while the service runs or not",
    details: "Existing files stay as they are unless --force is given.",
    args: [{ name: "file", kind: "file" }],
    options: [{ name: "--force", meaning: "replace the file if it is there" }],
    load: () => read("./backup.ts"),
  },
  {
    name: "restore",
    summary: "check a backup and put it in the place of the store, while the service is stopped",
    details:
      "The store that was there stays beside it as berth.db.before-restore, or with a number behind that.",
    args: [{ name: "file", kind: "file" }],
    options: [],
    load: () => read("./restore.ts"),
  },
  {
    name: "export",
    summary: "write everything in the store to one file, for another kind of store",
    details: "For SQLite and PostgreSQL. The sealing key is not in it.",
    args: [{ name: "file", kind: "file" }],
    options: [{ name: "--force", meaning: "replace the file if it is there" }],
    load: () => read("./export.ts"),
  },
  {
    name: "import",
    summary: "fill an empty store with what export has written, and check it",
    details:
      "The sealing key of the exported store must be in its place. The exit code is 1 when the audit log was damaged.",
    args: [{ name: "file", kind: "file" }],
    options: [],
    load: () => read("./import.ts"),
  },
  {
    name: "admin-key",
    summary: "make another admin key, for the owner of the data folder after losing theirs",
    args: [{ name: "name", kind: "text" }],
    options: [],
    load: () => read("./admin_key.ts"),
  },
  {
    name: "sealing-key",
    summary: "rotate the key that seals the store's secrets and the audit log, while the service is stopped",
    details: "The keys before it stay in the file for what they sealed. Nobody has to sign in again.",
    args: [{ name: "rotate", kind: "text", choices: ["rotate"] }],
    options: [],
    load: () => read("./sealing_key.ts"),
  },
  {
    name: "audit",
    summary: "say whether anything in the audit log was changed",
    details: "Needs no running service. The exit code is 1 when something was.",
    args: [{ name: "verify", kind: "text", choices: ["verify"] }],
    options: [{
      name: "--from",
      value: "place",
      meaning: "a place that must still be there, [changes:|refusals:]<seq>:<mac>; may be repeated",
    }],
    load: () => read("./audit.ts"),
  },
  {
    name: "completion",
    summary: "print a script that completes command lines in a shell",
    args: [{ name: "shell", kind: "text", choices: ["bash", "zsh", "fish"] }],
    options: [],
    load: () => read("./completion.ts"),
  },
  {
    name: "version",
    summary: "print the version",
    args: [],
    options: [],
    load: () => read("./version.ts"),
  },
  {
    name: "help",
    summary: "show the commands, or how one of them is used",
    args: [{ name: "command", kind: "text", optional: true }],
    options: [],
    load: () => read("./help.ts"),
  },
];

/** The command of that name. */
export function commandOf(name: string): Command | undefined {
  return COMMANDS.find((command) => command.name === name);
}
