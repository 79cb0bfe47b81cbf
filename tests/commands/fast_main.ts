/** A command on a clock that runs ten times as fast. */
import { parseLine } from "../../commands/parse.ts";
import { commandOf } from "../../commands/table.ts";
import { tenfold } from "../support/tenfold.ts";

tenfold();
const [name = "", ...words] = Deno.args;
const command = commandOf(name);
if (command === undefined) throw new Error(`there is no command "${name}"`);
const line = parseLine(command, words);
if (typeof line !== "object") throw new Error(`the line is wrong: ${String(line)}`);
Deno.exit(await (await command.load()).run(line));
