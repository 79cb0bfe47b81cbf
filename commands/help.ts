/** `berth help`, and `--help` behind any command: written from the table of commands. */
import { VERSION } from "../version.ts";
import { EXIT, EXIT_MEANINGS } from "./exit_code.ts";
import { writeOut } from "./output.ts";
import type { Command, Line } from "./command.ts";
import { shownCommand, shownOption } from "./shown.ts";
import { commandOf, COMMANDS } from "./table.ts";

// deno-lint-ignore require-await -- as every command
export async function run(line: Line): Promise<number> {
  const [name] = line.args;
  if (name === undefined) return writeOut(overview()), EXIT.FINE;
  const command = commandOf(name);
  if (command === undefined) {
    console.error(`berth: there is no command "${name}"; "berth help" lists them`);
    return EXIT.USAGE;
  }
  writeOut(helpOf(command));
  return EXIT.FINE;
}

/** All commands, one a line. */
export function overview(): string {
  return `berth ${VERSION}: your projects in folders, and the containers they run in

Usage: berth [command]

Commands:
${aligned(COMMANDS.map((command) => [shownCommand(command), command.summary]))}
Options:
  -h, --help     show this, or how a command is used
  -V, --version  print the version

status, plan, apply, sync, incidents, ls and all others that ask a running berth find it at BERTH_URL
(http://127.0.0.1:8700 unless told otherwise), with the key of "berth login" or of BERTH_KEY. The service's own
settings are environment variables (BERTH_PORT, BERTH_DATA, ...) and config.yaml in the data folder: see
docs/settings.md.

Exit codes:
${aligned(EXIT_MEANINGS.map(([code, meaning]) => [`${code}`, meaning])).trimEnd()}
`;
}

/** Returns the usage of one command. */
export function helpOf(command: Command): string {
  const { summary, details, options } = command;
  const shown = aligned(options.map((option) => [shownOption(option), meaningOf(option)]));
  const title = `${summary[0]!.toUpperCase()}${summary.slice(1)}.`;
  return [
    `Usage: berth ${shownCommand(command)}${options.length > 0 ? " [options]" : ""}`,
    details === undefined ? title : `${title}\n${details}`,
    ...(options.length > 0 ? [`Options:\n${shown.trimEnd()}`] : []),
  ].join("\n\n") + "\n";
}

/** With its choices, where it has some. */
export function meaningOf({ meaning, choices }: Command["options"][number]): string {
  return choices === undefined ? meaning : `${meaning} (${choices.join(", ")})`;
}

function aligned(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join("");
}
