/**
 * Fills the last column of the tables in `docs/faults.md`: the tests whose names end in the number of a row. The other
 * columns are written by hand.
 */
import { sources } from "../tests/house/sources.ts";

const ROOT = new URL("../", import.meta.url);
const FILE = new URL("faults.md", import.meta.url);

/** A test's file and name; a script that is run has no name. */
export interface Proof {
  readonly file: string;
  readonly name: string | null;
}

const NUMBERS = /[FR]\d+(?:, [FR]\d+)*/.source;
const NAME = new RegExp(`(["\`])((?:\\\\.|(?!\\1)[^\\\\\\n])*) \\((${NUMBERS})\\)\\1`, "g");
/** The comment that a script begins with. */
const HEAD = new RegExp(`^/\\*\\*(?:(?!\\*/)[^])*?\\((${NUMBERS})\\)`);
const isTest = (path: string) => /_(?:test|contract)\.ts$/.test(path);
const ROW = /^\| *(?:<a id="\w+"><\/a>)?([FR]\d+) *\|/;

/** Reads what proves each number. */
export async function readProofs(): Promise<Map<string, Proof[]>> {
  const texts = new Map<string, string>();
  for await (const path of sources()) {
    if (isTest(path) || path.startsWith("tests/proof/")) {
      texts.set(path, await Deno.readTextFile(new URL(path, ROOT)));
    }
  }
  return proofsIn(texts);
}

/** Returns what proves each number, out of the texts of files by their paths. */
export function proofsIn(texts: ReadonlyMap<string, string>): Map<string, Proof[]> {
  const proofs = new Map<string, Proof[]>();
  const add = (numbers: string, proof: Proof) => {
    for (const number of numbers.split(", ")) proofs.set(number, [...proofs.get(number) ?? [], proof]);
  };
  for (const [file, text] of [...texts].sort(([one], [other]) => one < other ? -1 : 1)) {
    if (!isTest(file)) {
      const [, ran] = HEAD.exec(text) ?? [];
      if (ran !== undefined) add(ran, { file, name: null });
      continue;
    }
    for (const [, , name, numbers] of text.matchAll(NAME)) {
      add(numbers!, { file, name: name!.replaceAll(/\$\{[^}]*\}/g, "…").replaceAll(/\\(.)/g, "$1") });
    }
  }
  return proofs;
}

/** Returns the page with the proofs of each row in its last column. */
export function faultsPage(page: string, proofs: ReadonlyMap<string, readonly Proof[]>): string {
  return page.split("\n").map((line) => {
    const number = numberOf(line);
    if (number === null) return line;
    const cells = line.split(/(?<!\\)\|/);
    cells.splice(-2, 1, ` ${placesOf(proofs.get(number) ?? []).replaceAll("|", "\\|")} `);
    return cells.join("|");
  }).join("\n");
}

/** Returns the number of a row of the page; null for any other line. */
export const numberOf = (line: string): string | null => ROW.exec(line)?.[1] ?? null;

function placesOf(proofs: readonly Proof[]): string {
  const files = [...new Set(proofs.map(({ file }) => file))];
  return files.map((file) => {
    const names = proofs.flatMap((one) => one.file === file && one.name !== null ? [`“${one.name}”`] : []);
    return `[${file.replace(/^.*\//, "")}](../${file})${names.length === 0 ? "" : `: ${names.join("; ")}`}`;
  }).join("<br>");
}

if (import.meta.main) {
  const page = await Deno.readTextFile(FILE);
  await Deno.writeTextFile(FILE, faultsPage(page, await readProofs()));
}
