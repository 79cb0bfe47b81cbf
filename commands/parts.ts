/** Arguments and options that several commands have. */

import { placeOf } from "../core/place.ts";
import type { Argument, CommandModule, Option } from "./command.ts";

/** Only the command that is asked for is read. */
export const read = (file: string): Promise<CommandModule> => import(placeOf(`commands/${file}`).href);

export const CONTAINER: Argument = { name: "container", kind: "container" };
export const JSON_OPTION: Option = { name: "--json", meaning: "print JSON, for programs" };
const ENGINE: Option = {
  name: "--engine",
  value: "name",
  meaning: "the engine, where several have such a container",
};
export const ENGINE_OPTIONS: readonly Option[] = [
  ENGINE,
  { ...ENGINE, name: "--backend", meaning: "the same as --engine" },
];
