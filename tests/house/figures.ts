/** Measures the figures that the house has to reach and prints them as one table. `deno task house`. */
import { SETTINGS } from "../../config/settings.ts";
import { HOUSE } from "../../bench/earlier_commit.ts";
import { PLUGINS } from "../../plugins/plugins.ts";
import { bareIn, mostIn, roomsOf } from "./comments.ts";
import { importsOf, withoutComments } from "./imports.ts";
import { sources } from "./sources.ts";

const ROOT = new URL("../../", import.meta.url);
/** Written by a program, or data. */
const GENERATED = /^client\/berth\/|^page\/words\/|^tests\/support\/fixtures\//;
const LONG_FUNCTION = 80;
const LONG_FILE = 400;

/** One row of the table. */
export interface Figure {
  readonly name: string;
  readonly goal: string;
  readonly now: string;
  readonly isReached: boolean;
  /** The places that keep it from its goal. */
  readonly left: readonly string[];
}

const isProduct = (path: string) => !/^(?:tests|bench|docs|tools)\/|_test\.tsx?$/.test(path);

/** Reads the project's own files. */
export async function readTexts(): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const path of sources()) texts.set(path, await Deno.readTextFile(new URL(path, ROOT)));
  return texts;
}

export function figures(texts: ReadonlyMap<string, string>, speed: string): Figure[] {
  return [
    rooms(texts, "plugins/containers/", 20, 40),
    rooms(texts, "http/", 6, 6),
    clauses(texts),
    atMost(
      'a bare "who" in code and comments',
      0,
      [...texts].flatMap(([path, text]) => path.startsWith("tests/house/") ? [] : bareIn(path, text)),
    ),
    atMost(`functions over ${LONG_FUNCTION} lines`, 0, longFunctions(texts)),
    atMost(`files by hand over ${LONG_FILE} lines`, 0, longFiles(texts)),
    tables(texts),
    screens(texts),
    atMost("settings", 26, Object.keys(SETTINGS)),
    neighbours(texts),
    ...["list", "inspect", "log", "start", "writes", "writes-postgres"].map((name) => speedOf(name, speed)),
  ];
}

function atMost(name: string, most: number, found: readonly string[]): Figure {
  const isReached = found.length <= most;
  return { name, goal: `≤ ${most}`, now: `${found.length}`, isReached, left: isReached ? [] : found };
}

/** Counts the rooms of a folder, and the pairs of rooms of which one imports the other. */
export function roomsAndArrows(texts: ReadonlyMap<string, string>, folder: string) {
  const roomOf = (path: string) => path.slice(folder.length).split("/")[0]!;
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
  return { rooms, arrows };
}

function rooms(texts: ReadonlyMap<string, string>, folder: string, most: number, mostArrows: number): Figure {
  const { rooms, arrows } = roomsAndArrows(texts, folder);
  return {
    name: `${folder}: rooms / arrows`,
    goal: `${most} / ${mostArrows}`,
    now: `${rooms.size} / ${arrows.size}`,
    isReached: rooms.size <= most && arrows.size <= mostArrows,
    left: [],
  };
}

function clauses(texts: ReadonlyMap<string, string>): Figure {
  const shares = [...roomsOf(texts)].map(([name, room]) => ({
    name,
    room,
    share: room.clauses.length / room.comments,
  })).filter(({ room }) => room.clauses.length > mostIn(room)).sort((one, other) => other.share - one.share);
  return {
    name: "rooms with over 5 % noun-clause comments",
    goal: "0",
    now: `${shares.length}`,
    isReached: shares.length === 0,
    left: shares.map(({ name, room, share }) =>
      `${name}: ${room.clauses.length} of ${room.comments}, ${(share * 100).toFixed(0)} %`
    ),
  };
}

/** Returns the lines of each function and method, by its indentation. */
function* functionLengths(text: string): Generator<[line: number, length: number]> {
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    const indent =
      /^(\s*)(?:export |async |static |private |get |#|\*)*(?:function\*? ?)?\w+(?:<[^(]*>)?\(.*\{$/.exec(
        line,
      );
    if (!indent || /^\s*(?:if|for|while|switch|catch|else)\b/.test(line)) continue;
    const end = lines.findIndex((other, at) => at > index && other.startsWith(`${indent[1]}}`));
    if (end > 0) yield [index + 1, end - index + 1];
  }
}

function byHand(texts: ReadonlyMap<string, string>): [path: string, text: string][] {
  return [...texts].filter(([path]) => isProduct(path) && !GENERATED.test(path));
}

function longFunctions(texts: ReadonlyMap<string, string>): string[] {
  return byHand(texts).flatMap(([path, text]) =>
    [...functionLengths(text)].filter(([, length]) => length > LONG_FUNCTION)
      .map(([line, length]) => `${path}:${line}: ${length} lines`)
  );
}

function longFiles(texts: ReadonlyMap<string, string>): string[] {
  return byHand(texts).map(([path, text]) => ({ path, lines: text.trimEnd().split("\n").length }))
    .filter(({ lines }) => lines > LONG_FILE).map(({ path, lines }) => `${path}: ${lines} lines`);
}

/** The files that insert rows, without the migrations and the copy of a whole store. */
function tables(texts: ReadonlyMap<string, string>): Figure {
  const files = new Map<string, Set<string>>();
  for (const [path, text] of texts) {
    if (!/^store\/\w+\//.test(path) || !isProduct(path) || /\/(?:migrations|copy)\.ts$/.test(path)) continue;
    for (const [, table = ""] of text.matchAll(/\bINSERT INTO (\w+)/g)) {
      files.getOrInsertComputed(table, () => new Set()).add(path);
    }
  }
  const counts = [...files.values()].map(({ size }) => size).sort((one, other) => one - other);
  const usual = counts[counts.length >> 1] ?? 0;
  const left = [...files].filter(([, { size }]) => size > 1).map(([table, paths]) =>
    `${table}: ${[...paths].join(", ")}`
  );
  return {
    name: "files with the rows of a table, beside its contract",
    goal: "1",
    now: `${usual}`,
    isReached: usual === 1,
    left,
  };
}

/** The folder, the sentences and every other file that names the component or the address, of the usual screen. */
function screens(texts: ReadonlyMap<string, string>): Figure {
  const table = texts.get("page/screen_table.ts") ?? "";
  const own = [
    ...table.matchAll(/path: "(\/\w+)",\s*title: titles\.(\w+),\s*view: "(\w+)",\s*group: "\w+",\s*word:/g),
  ];
  const knowing = own.map(([, address = "", key = "", component = ""]) => {
    const isNamed = new RegExp(`"${address}"|\\b${component}\\b`);
    const imported = new RegExp(`\\b${component}\\b.* from "\\.(/screens/\\w+/)`);
    const folder = `page${[...texts.values()].map((text) => imported.exec(text)?.[1]).find((one) => one)}`;
    const naming = [...texts].filter(([path, text]) => {
      if (!path.startsWith("page/") || path.startsWith(folder)) return false;
      return path.startsWith("page/words/")
        ? new RegExp(`^ +${key}: `, "m").test(titlesIn(text))
        : isNamed.test(withoutComments(text));
    });
    return [folder, ...naming.map(([path]) => path)];
  }).sort((one, other) => one.length - other.length);
  const usual = knowing[knowing.length >> 1] ?? [];
  return {
    name: "files for a new screen",
    goal: "5",
    now: `${usual.length}`,
    isReached: usual.length > 0 && usual.length <= 5,
    left: usual,
  };
}

/** The titles of screens among the sentences of a file. */
function titlesIn(text: string): string {
  return /^ {2}titles: \{$(.*?)^ {2}\},$/ms.exec(text)?.[1] ?? "";
}

/** The files outside its folder that name the plugin which keeps engines; a second one is named in the same. */
function neighbours(texts: ReadonlyMap<string, string>): Figure {
  const names = PLUGINS.find(({ name }) => name === "container-runtime")!;
  const strings = [names.name, "/containers/plugin.ts", ...names.permissions.map(({ name }) => name)];
  const found = [...texts].filter(([path, text]) => {
    const isElsewhere = isProduct(path) && !/^(?:plugins\/\w+|client|page)\//.test(path);
    return isElsewhere && strings.some((one) => withoutComments(text).includes(`${one}"`));
  }).map(([path]) => path);
  return {
    name: "outside edits for a second engine plugin",
    goal: "1",
    now: `${found.length}`,
    isReached: found.length === 1,
    left: found.length === 1 ? [] : found,
  };
}

/** Reads a row of docs/speed.md, which benches measured: the commit with the rooms beside the one before them. */
function speedOf(name: string, speed: string): Figure {
  const row = speed.split("\n").find((line) => line.startsWith(`| before-${name} |`)) ?? "";
  const [, ratio = "", low = "", high = ""] =
    new RegExp(`${HOUSE.after} \\*\\*([\\d.]+)\\*\\* \\([\\d.]+, ([\\d.]+) to ([\\d.]+)\\)`).exec(row) ?? [];
  const [least, most] = [Number(low), Number(high)];
  const isReached = row.includes("less is better") ? least <= 1 : most >= 1;
  return {
    name: `${name} against the commit before`,
    goal: "within the spread",
    now: ratio === "" ? "not measured" : `${ratio} (${low} to ${high})`,
    isReached: ratio !== "" && isReached,
    left: [],
  };
}

if (import.meta.main) {
  const all = figures(await readTexts(), await Deno.readTextFile(new URL("docs/speed.md", ROOT)));
  for (const { name, goal, now, isReached, left } of all) {
    console.log(`${isReached ? " " : "✗"} ${name.padEnd(52)} ${goal.padEnd(18)} ${now}`);
    if (!isReached) { for (const one of left.slice(0, 12)) console.log(`      ${one}`); }
  }
}
