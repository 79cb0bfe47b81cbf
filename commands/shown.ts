/** Commands, their arguments and their options, as help and the manual page write them. */
import type { Argument, Command, Option } from "./command.ts";

/** Returns true for an argument that takes several words. */
export const isRepeated = ({ rest, many }: Argument): boolean => rest === true || many === true;

/** `<folder>`, `[command...]`: an argument as help writes it. */
export function shownArgument(argument: Argument): string {
  const { name, optional } = argument;
  const text = isRepeated(argument) ? `${name}...` : name;
  return optional === true ? `[${text}]` : `<${text}>`;
}

/** `logs <container>`: a command as help writes it. */
export function shownCommand({ name, args }: Command): string {
  return [name, ...args.map(shownArgument)].join(" ");
}

/** `-n, --tail <count>`: an option as help writes it. */
export function shownOption({ name, short, value }: Option): string {
  return `${short === undefined ? "" : `${short}, `}${name}${value === undefined ? "" : ` <${value}>`}`;
}
