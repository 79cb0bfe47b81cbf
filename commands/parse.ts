/** Reads a command line by the table: its arguments and options, or what is wrong with it. */
import type { Command, Line, Option } from "./command.ts";
import { isRepeated, shownArgument } from "./shown.ts";

/** Asks for the help of a command. */
export const HELP = Symbol("help");

/** @returns the line, a sentence that says what is wrong, or `HELP`. */
export function parseLine(command: Command, words: readonly string[]): Line | string | typeof HELP {
  const args: string[] = [];
  const options = new Map<string, string[]>();
  let literal = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!literal && word === "--") {
      literal = true;
    } else if (literal || !/^-./.test(word)) {
      args.push(word);
      if (command.args[args.length - 1]?.rest === true) literal = true;
    } else if (word === "-h" || word === "--help") {
      return HELP;
    } else {
      const equals = word.startsWith("--") ? word.indexOf("=") : -1;
      const name = equals < 0 ? word : word.slice(0, equals);
      const option = command.options.find((one) => one.name === name || one.short === name);
      if (option === undefined) return `there is no option "${name}"`;
      const value = equals >= 0 ? word.slice(equals + 1) : option.value === undefined ? "" : words[++at];
      const wrong = mistakeOf(option, value, equals >= 0);
      if (wrong !== null) return wrong;
      options.set(option.name, [...options.get(option.name) ?? [], value ?? ""]);
    }
  }
  const missing = command.args[args.length];
  if (missing !== undefined && missing.optional !== true) return `${shownArgument(missing)} is missing`;
  const last = command.args.at(-1);
  const isEndless = last !== undefined && isRepeated(last);
  if (args.length > command.args.length && !isEndless) {
    return `"${args[command.args.length]}" is one argument too many`;
  }
  if (last?.many === true && args.includes("")) return `<${last.name}> is empty`;
  for (const [at, { name, choices }] of command.args.entries()) {
    const given = args[at];
    if (given === "") return `<${name}> is empty`;
    if (choices !== undefined && given !== undefined && !choices.includes(given)) {
      return `"${given}" is not one of ${choices.join(", ")}`;
    }
  }
  return { args, option: (name) => options.get(name)?.at(-1), all: (name) => options.get(name) ?? [] };
}

function mistakeOf(option: Option, value: string | undefined, isAttached: boolean): string | null {
  if (option.value === undefined) return isAttached ? `${option.name} takes no value` : null;
  if (value === undefined || value === "") return `${option.name} needs a <${option.value}>`;
  if (option.choices !== undefined && !option.choices.includes(value)) {
    return `${option.name} is one of ${option.choices.join(", ")}, not "${value}"`;
  }
  return null;
}
