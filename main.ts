/** The command line: starts berth, or does one of the small things that need no running service. */
import { VERSION } from "./version.ts";

const HELP = `berth ${VERSION}: your projects in folders, and the containers they run in

Usage: berth [command]

Commands:
  serve                 start the service (what happens without a command)
  validate <folder>     check the artifacts of a folder; --format text|json|sarif|github
  backup <file>         write a complete copy of the store, while the service runs or not
  admin-key <name>      make another admin key, for who lost theirs and owns the data folder
  audit verify          say whether anything in the audit log was changed; --from <seq>:<mac>
  version               say which version this is

Options:
  -h, --help            show this
  -V, --version         the same as the command

Settings are environment variables (BERTH_PORT, BERTH_DATA, ...) and config.yaml in the data
folder: see docs/settings.md.
`;

/** A service does not need them: by a constant, they are read only where they are asked for. */
const VALIDATE = "./commands/validate.ts";
const BACKUP = "./commands/backup.ts";
const ADMIN_KEY = "./commands/admin_key.ts";
const AUDIT = "./commands/audit.ts";

/** Each loads only what it needs: a version is told without a store, a service starts without a validator. */
const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  serve: async (args) => {
    if (args.length > 0) return usage(`serve takes no arguments, but got "${args[0]}"`);
    return await (await import("./commands/serve.ts")).serve();
  },
  validate: async (args) =>
    await (await (import(VALIDATE) as Promise<typeof import("./commands/validate.ts")>)).validate(args),
  backup: async (args) => {
    const [file, ...more] = args;
    if (file === undefined || more.length > 0) return usage("backup takes the name of one file");
    return await (await (import(BACKUP) as Promise<typeof import("./commands/backup.ts")>)).backup(file);
  },
  "admin-key": async (args) => {
    const [name, ...more] = args;
    if (name === undefined || more.length > 0) return usage("admin-key takes one name");
    return await (await (import(ADMIN_KEY) as Promise<typeof import("./commands/admin_key.ts")>)).adminKey(
      name,
    );
  },
  audit: async (args) =>
    await (await (import(AUDIT) as Promise<typeof import("./commands/audit.ts")>)).audit(args),
  version: () => {
    console.log(`berth ${VERSION}`);
    return Promise.resolve(0);
  },
  help: () => {
    console.log(HELP);
    return Promise.resolve(0);
  },
};
const FLAGS: Readonly<Record<string, string>> = {
  "-h": "help",
  "--help": "help",
  "-V": "version",
  "--version": "version",
};

function usage(mistake: string): number {
  console.error(`berth: ${mistake}; "berth --help" shows how it is used`);
  return 2;
}

async function run([first = "serve", ...rest]: readonly string[]): Promise<number> {
  const name = FLAGS[first] ?? first;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) return usage(`there is no command "${first}"`);
  if (rest.some((argument) => FLAGS[argument] === "help")) return await run(["help"]);
  return await command(rest);
}

if (import.meta.main) Deno.exit(await run(Deno.args));
