/** Puts secrets back into a text in which they were masked, and only where each of them stood. */

import { MASK, type Span } from "../../core/secrets.ts";
import type { Alias, ArtifactFile, Model } from "../artifact.ts";
import { environmentSecrets, maskedFile } from "./masked_file.ts";
import { type Masked, secretsIn } from "./masked_text.ts";

/**
 * A text with its secrets; or the line of the first mask that cannot be put back; or the anchor of a secret that a new
 * alias would repeat; or the line of the first error of a text that does not parse; or the limit that it exceeds.
 */
export type PutBack =
  | { readonly text: string }
  | { readonly line: number }
  | { readonly repeated: string; readonly line: number }
  | { readonly broken: string; readonly line: number }
  | { readonly unread: string };

/** A file, and how a text in its place would be read: alone, and with all others of the workspace. */
interface Read {
  readonly file: ArtifactFile;
  /** Null where the text is not saved, so that every value of an environment file is masked. */
  readonly model: Model | null;
  readonly parsed: (text: string) => Promise<ArtifactFile>;
  readonly overlaid?: (text: string) => Promise<Model>;
}

/**
 * The edited text with the secrets of the file. A mask stands for what it stood for as long as it is in its place: on a
 * line that begins as it did, below the same lines that are indented less. What would then be shown anywhere as it
 * is, because its surroundings make it no secret any more, is not put back, and neither is anything into a text with
 * errors or behind an anchor that has a new alias. `parsed` reads the result as the file.
 */
export async function putBack({ file, model, parsed, overlaid }: Read, edited: string): Promise<PutBack> {
  const masked = maskedFile(file, model);
  const had = marksIn(masked.text, masked);
  const given = marksIn(edited);
  const found = hiddenBehind({ text: masked.text, marks: had }, { text: edited, marks: given });
  const lost = given[found.indexOf(null)];
  if (lost !== undefined) return { line: lost.line };

  const secrets: Span[] = [];
  let text = "";
  let at = 0;
  for (const [index, mark] of given.entries()) {
    text += edited.slice(at, mark.at);
    const hidden = found[index]!; // none is null
    if (hidden !== mark.text) secrets.push([text.length, text.length + hidden.length]);
    text += hidden;
    at = mark.at + mark.text.length;
  }
  text += edited.slice(at);
  if (secrets.length === 0) return { text };
  const whole = await parsed(text);
  const limit = whole.findings.find(({ code }) => code === "fs/limit-reached");
  if (limit !== undefined) return { unread: limit.message };
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  if (!whole.sound) {
    const [error] = whole.findings;
    return { broken: error?.message ?? "it has an error", line: lineAt(error?.at?.start ?? 0) };
  }
  // A value may have been hidden for its use, or for being that of another variable.
  const among = file.kind === "env" ? await overlaid?.(text) : undefined;
  const still = among?.files.some(({ path, hash }) => path === whole.path && hash === whole.hash)
    ? environmentSecrets(whole, among)
    : secretsIn(whole);
  const shown = secrets.find(([start, end]) => !still.some(([from, to]) => from <= start && end <= to));
  if (shown !== undefined) return { line: lineAt(shown[0]) };
  const repeated = newAlias(file, whole, secrets);
  return repeated === undefined ? { text } : { repeated: repeated.name, line: lineAt(repeated.start) };
}

/** An alias that the file did not have, whose anchor holds a secret. */
function newAlias(before: ArtifactFile, after: ArtifactFile, secrets: readonly Span[]): Alias | undefined {
  const left = new Map<string, number>();
  for (const { name } of before.aliases) left.set(name, (left.get(name) ?? 0) + 1);
  return after.aliases.find(({ name, start, end }) => {
    const count = left.get(name) ?? 0;
    left.set(name, count - 1);
    return count <= 0 && secrets.some(([from, to]) => start < to && from < end);
  });
}

/** A part of a text. */
interface Scope {
  readonly start: number;
  end: number;
}

/** Four asterisks and more: a mask, or something that looks like one. */
interface Mark {
  readonly at: number;
  readonly text: string;
  readonly line: number;
  /** The beginning of its line, and the lines above that hold it. */
  readonly place: string;
  /** The content of the nearest of those lines; null for the whole text. */
  readonly scope: Scope | null;
  /** The text that it stands for: itself, where it is no mask; null where that is not to be told. */
  readonly hidden: string | null;
}

function marksIn(text: string, masked?: Masked): Mark[] {
  const hidden = new Map(masked?.masks.map((mask) => [mask.at, mask.hidden]));
  const marks: Mark[] = [];
  const above: { readonly indent: number; readonly text: string; readonly scope: Scope }[] = [];
  let lineStart = 0;
  for (const [index, line] of text.split("\n").entries()) {
    const content = line.trimStart();
    const isComment = content.startsWith("#");
    if (content.trim() !== "") {
      // The items of a list may stand right below its key.
      const indent = line.length - content.length + (/^-\s/.test(content) ? 0.5 : 0);
      while (!isComment && (above.at(-1)?.indent ?? -1) >= indent) above.pop()!.scope.end = lineStart;
      for (const { 0: run, index: column } of line.matchAll(/\*{4,}/g)) {
        const at = lineStart + column;
        const place = [...above.map((one) => one.text), line.slice(0, column).trimStart()].join("\n");
        const isMask = run === MASK && hidden.has(at);
        const isWhole = isMask || ![...hidden.keys()].some((one) => one >= at && one < at + run.length);
        marks.push({
          at,
          text: run,
          line: index + 1,
          place: run === MASK ? place : `${run}\n${place}`,
          scope: above.at(-1)?.scope ?? null,
          hidden: isMask ? hidden.get(at)! : isWhole ? run : null,
        });
      }
      if (!isComment) {
        const scope = { start: lineStart + line.length, end: text.length };
        above.push({ indent, text: content.replace(/\s#[^]*/, "").trimEnd(), scope });
      }
    }
    lineStart += line.length + 1;
  }
  return marks;
}

function byPlace(marks: readonly Mark[]): ReadonlyMap<string, readonly Mark[]> {
  return Map.groupBy(marks, ({ place }) => place);
}

interface Marked {
  readonly text: string;
  readonly marks: readonly Mark[];
}

/**
 * Returns the text that each mark stands for; null where its place had none, or several and it is unclear which are
 * left, or in which order.
 */
function hiddenBehind(original: Marked, edited: Marked): (string | null)[] {
  const had = byPlace(original.marks);
  const amounts = byPlace(edited.marks);
  const moved = movedPlaces(original.text, edited.text, had, amounts);
  const passed = new Map<string, number>();
  return edited.marks.map(({ place, text }) => {
    if (moved.has(place)) return null;
    const before = had.get(place) ?? [];
    const turn = passed.get(place) ?? 0;
    passed.set(place, turn + 1);
    const amount = amounts.get(place)!.length; // it is one of them
    if (before.length === amount) return before[turn]!.hidden;
    const [first, ...others] = before.map(({ hidden }) => hidden);
    if (first !== undefined && amount < before.length && others.every((one) => one === first)) return first;
    // Asterisks of the author's own, unless they are what is left of a mask.
    return text !== MASK && !had.has(place.slice(text.length + 1)) ? text : null;
  });
}

/** Marks of the same part of a text, of places whose marks only their order tells apart. */
interface Ordered {
  readonly places: string[];
  readonly before: Mark[];
  readonly after: Mark[];
}

type ByPlace = ReadonlyMap<string, readonly Mark[]>;

/** Texts are read this often, for parts that lie in each other. */
const MOST_READ = 32;

/** Returns the places whose marks may belong to others than before, by what stands between them. */
function movedPlaces(original: string, edited: string, had: ByPlace, given: ByPlace): ReadonlySet<string> {
  const moved = new Set<string>();
  const parts = new Map<Scope | null, Ordered>();
  for (const [place, before] of had) {
    const after = given.get(place) ?? [];
    const isClear = before.every(({ hidden }) => hidden === before[0]?.hidden);
    if (isClear || before.length !== after.length) continue;
    const scope = sharedScope(before);
    const part = parts.get(scope) ?? { places: [], before: [], after: [] };
    parts.set(scope, part);
    part.places.push(place);
    part.before.push(...before);
    part.after.push(...after);
  }
  let left = MOST_READ * original.length;
  for (const [scope, { places, before, after }] of parts) {
    const [from, to] = scope === null ? [null, null] : [scope, sharedScope(after)];
    const isWhole = from === null || to === null;
    const { start, end } = from ?? { start: 0, end: original.length };
    left -= end - start;
    const isMoved = left < 0 || hasMoved(
      { text: original, marks: inOrder(before), scope: isWhole ? null : from },
      { text: edited, marks: inOrder(after), scope: isWhole ? null : to },
    );
    if (isMoved) { for (const place of places) moved.add(place); }
  }
  return moved;
}

/** Returns the part of the text in which all of them are; null for all of it. */
function sharedScope(marks: readonly Mark[]): Scope | null {
  const scope = marks[0]?.scope ?? null;
  return marks.every((mark) => mark.scope === scope) ? scope : null;
}

const inOrder = (marks: readonly Mark[]): Mark[] => marks.toSorted((one, other) => one.at - other.at);

interface Part extends Marked {
  /** Null for the whole text. */
  readonly scope: Scope | null;
}

/**
 * True if a line that stood between two of the marks is missing there and has come between two others, as where the
 * sections of a file change places; and where the marks themselves have.
 */
function hasMoved(original: Part, edited: Part): boolean {
  if (original.marks.some(({ place }, index) => place !== edited.marks[index]?.place)) return true;
  const lost = new Set<string>();
  const gained = new Set<string>();
  const now = partsBetween(edited);
  for (const [index, lines] of partsBetween(original).entries()) {
    const left = new Map<string, number>();
    for (const line of lines) left.set(line, (left.get(line) ?? 0) + 1);
    for (const line of now[index]!) { // there are as many
      const count = left.get(line) ?? 0;
      if (count === 0) gained.add(line);
      else left.set(line, count - 1);
    }
    for (const [line, count] of left) if (count > 0) lost.add(line);
  }
  return !lost.isDisjointFrom(gained);
}

/** Returns the lines before, between and behind the marks: those that say anything. */
function partsBetween({ text, marks, scope }: Part): string[][] {
  const ends = [scope?.start ?? 0, ...marks.map(({ at, text }) => at + text.length)];
  return ends.map((end, index) =>
    text.slice(end, marks[index]?.at ?? scope?.end).split("\n").map((line) => line.trim())
      .filter((line) => /[\p{L}\p{N}]/u.test(line))
  );
}
