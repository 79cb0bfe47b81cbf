/** The command line: starts berth, or runs one of its other commands; each is loaded when it is asked for. */
import { EXIT } from "./commands/exit_code.ts";
import { HELP, parseLine } from "./commands/parse.ts";
import { commandOf } from "./commands/table.ts";
import { keepFromProxies } from "./config/client.ts";

/** Flags that stand for a command. */
const FLAGS: Readonly<Record<string, string>> = {
  "-h": "help",
  "--help": "help",
  "-V": "version",
  "--version": "version",
};

async function run([first = "serve", ...words]: readonly string[]): Promise<number> {
  const name = FLAGS[first] ?? first;
  const command = commandOf(name);
  if (command === undefined) {
    console.error(`berth: there is no command "${first}"; "berth --help" lists them`);
    return EXIT.USAGE;
  }
  const line = parseLine(command, words);
  if (line === HELP) return await run(["help", name]);
  if (typeof line === "string") {
    console.error(`berth ${name}: ${line}; "berth ${name} --help" shows how it is used`);
    return EXIT.USAGE;
  }
  if (name !== "serve") keepFromProxies();
  try {
    return await (await command.load()).run(line);
  } catch (error) {
    // The reader of the output has closed the pipe, as `head` does.
    if (!(error instanceof Deno.errors.BrokenPipe) || name === "serve") throw error;
    return EXIT.NO;
  }
}

if (import.meta.main) Deno.exit(await run(Deno.args));
