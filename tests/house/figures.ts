/** Prints the figures of the house: rooms and arrows, comments, long functions and files, settings. `deno task house`. */
import { SETTINGS } from "../../config/settings.ts";
import { importsOf } from "./imports.ts";
import { sources } from "./sources.ts";

const ROOT = new URL("../../", import.meta.url);
/** Written by a program, or data. */
const GENERATED = /^client\/berth\/|^page\/words\/|^tests\/support\/fixtures\//;
const LONG_FUNCTION = 80;
const LONG_FILE = 400;
/** A comment that begins with a clause, as in the words test. */
const CLAUSE = /\/\*\*\s*(?:\* )?(?:What|Who|Whose|Whether|Where|How|Why|That|Those|Whoever)\b/g;
const COMMENT = /\/\*\*/g;

const texts = new Map<string, string>();
for await (const path of sources()) texts.set(path, await Deno.readTextFile(new URL(path, ROOT)));

const isProduct = (path: string) => !/^(?:tests|bench|docs|tools)\/|_test\.tsx?$/.test(path);

/** Counts the rooms of a folder, and the pairs of rooms of which one imports the other. */
function roomsAndArrows(folder: string): [rooms: number, arrows: number] {
  const roomOf = (path: string) => {
    const inside = path.slice(folder.length);
    return inside.includes("/") ? inside.slice(0, inside.indexOf("/")) : inside;
  };
  const rooms = new Set<string>();
  const arrows = new Set<string>();
  for (const [path, text] of texts) {
    if (!path.startsWith(folder) || !isProduct(path)) continue;
    rooms.add(roomOf(path));
    for (const target of importsOf(path, text)) {
      if (target.startsWith(folder) && roomOf(target) !== roomOf(path)) {
        arrows.add(`${roomOf(path)} > ${roomOf(target)}`);
      }
    }
  }
  return [rooms.size, arrows.size];
}

/** Returns the number of lines of each function and method, by its indentation. */
function* functionLengths(text: string): Generator<number> {
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    const indent =
      /^(\s*)(?:export |async |static |private |get |#|\*)*(?:function\*? ?)?\w+(?:<[^(]*>)?\(.*\{$/.exec(
        line,
      );
    if (!indent || /^\s*(?:if|for|while|switch|catch|else)\b/.test(line)) continue;
    const end = lines.findIndex((other, at) => at > index && other.startsWith(`${indent[1]}}`));
    if (end > 0) yield end - index + 1;
  }
}

const product = [...texts].filter(([path]) => isProduct(path) && !GENERATED.test(path));
const count = (pattern: RegExp) =>
  product.reduce((sum, [, text]) => sum + (text.match(pattern)?.length ?? 0), 0);
const longFunctions = product.flatMap(([, text]) => [...functionLengths(text)]).filter((lines) =>
  lines > LONG_FUNCTION
);
const longFiles = product.filter(([, text]) => text.split("\n").length > LONG_FILE);
const clauses = count(CLAUSE) / count(COMMENT);

const rows: [name: string, now: string][] = [
  ...["engines/", "plugins/containers/", "http/", "auth/", "artifacts/", "projects/"].map((folder) => {
    const [rooms, arrows] = roomsAndArrows(folder);
    return [folder, `${rooms} rooms, ${arrows} arrows`] as [string, string];
  }),
  ["comments that begin with a clause", `${(clauses * 100).toFixed(1)} %`],
  [`functions over ${LONG_FUNCTION} lines`, `${longFunctions.length}`],
  [`files by hand over ${LONG_FILE} lines`, `${longFiles.length}`],
  ...longFiles.map(([path, text]) => [`  ${path}`, `${text.split("\n").length}`] as [string, string]),
  ["settings", `${Object.keys(SETTINGS).length}`],
];
for (const [name, now] of rows) console.log(`${name.padEnd(36)} ${now}`);
