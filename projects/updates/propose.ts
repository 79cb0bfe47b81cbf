/** A newer tag as a change of the file: of the line that says the version, in the Compose file or in `.env`. */
import type { ArtifactFile, Group, Model, Place, Unit } from "../../artifacts/artifact.ts";
import { environmentOf } from "../../artifacts/compose/variables.ts";
import { parseDotenv } from "../../artifacts/env/dotenv.ts";
import { interpolateText } from "../../artifacts/env/interpolate.ts";
import { locationOf, positionOf } from "../../artifacts/position.ts";
import { maskedFile } from "../../artifacts/report/masked_file.ts";
import { ServiceError } from "../../core/error.ts";
import { readReference } from "../../core/image_reference.ts";
import { MASK } from "../../core/secrets.ts";
import { versionIn } from "./versions.ts";

/** Places of one text that are tried. */
const MOST_PLACES = 10;

export interface ProposedChange {
  readonly file: ArtifactFile;
  /** All of the file's text, with the change in place. */
  readonly text: string;
  /** The same with its secrets masked, but for the versions themselves, which every list of images shows. */
  readonly shown: string;
  readonly changes: readonly { readonly line: number; readonly before: string; readonly after: string }[];
}

/** A stretch of a file, and what takes its place. */
interface Edit extends Place {
  readonly put: string;
}

/**
 * Returns the change that gives units of one reference another tag. Units whose version stands in another file than the
 * first one's are left for later. `model` is the workspace that decides what is masked. Throws `image_not_editable`.
 */
export function proposeTag(
  group: Group,
  units: readonly Unit[],
  tag: string,
  model: Model | null = null,
): ProposedChange {
  const edits = new Map<string, Edit>();
  for (const unit of units) {
    const edit = editOf(group, unit, tag);
    edits.set(`${edit.file.path} ${edit.start}`, edit);
  }
  const [first] = edits.values();
  if (first === undefined) throw new Error("There is a unit at least");
  const { file } = first;
  const own = [...edits.values()].filter((edit) => edit.file.path === file.path)
    .sort((one, other) => other.start - one.start);
  const text = own.reduce(
    (text, { start, end, put }) => text.slice(0, start) + put + text.slice(end),
    file.text,
  );
  const shown = maskedWith(file, model, own);
  const before = maskedWith(
    file,
    model,
    own.map((edit) => ({ ...edit, put: file.text.slice(edit.start, edit.end) })),
  );
  const [old, now] = [before.split("\n"), shown.split("\n")];
  const lines = [...new Set(own.map(({ start }) => positionOf(file, start).line))].reverse();
  // Masks and changes leave the lines where they are.
  return {
    file,
    text,
    shown,
    changes: lines.map((line) => ({ line, before: old[line - 1]!, after: now[line - 1]! })),
  };
}

/** Returns the masked text with changes, the last one first; a mask that a change lies in is taken away. */
function maskedWith(file: ArtifactFile, model: Model | null, edits: readonly Edit[]): string {
  const { text, masks } = maskedFile(file, model);
  let shown = text;
  for (const { start, end, put } of edits) {
    // The masks before it make the text longer, or shorter.
    let shift = 0;
    const mask = masks.find(({ at, hidden }) => {
      if (start < at - shift + hidden.length) return true;
      shift += MASK.length - hidden.length;
      return false;
    });
    const from = mask === undefined ? Infinity : mask.at - shift;
    if (mask === undefined || end <= from) {
      shown = shown.slice(0, start + shift) + put + shown.slice(end + shift);
      continue;
    }
    const { at, hidden } = mask;
    const value = hidden.slice(0, start - from) + put + hidden.slice(end - from);
    shown = shown.slice(0, at) + value + shown.slice(at + MASK.length);
  }
  return shown;
}

function editOf(group: Group, unit: Unit, tag: string): Edit {
  const image = unit.service?.imageAt ?? null;
  const now = unit.service?.image ?? null;
  const reference = now === null ? null : readReference(now);
  if (image === null || now === null || reference === null || reference.tag === null) {
    throw refusal(unit.source, unit.label, "its image is not known");
  }
  const [from, to] = [versionIn(reference.tag), versionIn(tag)];
  const inside = insideOf(image);
  if (inside === null) {
    throw refusal(image, unit.label, "its image is written with escapes, over several lines or by an alias");
  }
  const wanted = from !== null && to !== null && now.endsWith(reference.tag)
    ? now.slice(0, now.length - reference.tag.length) + tag
    : null;
  const written = image.file.text.slice(inside.start, inside.end);
  const means = (text: string, files: readonly ArtifactFile[]) => {
    const environment = environmentOf(files);
    return interpolateText(text, (name) => environment.get(name)).value;
  };
  if (wanted === null || means(written, group.envFiles) !== now) {
    throw refusal(image, unit.label, "it is not clear where its version comes from");
  }
  for (const edit of editsIn(inside, from!.text, to!.text)) {
    if (means(changed(inside, edit), group.envFiles) === wanted) return edit;
  }
  for (const value of valuesOf(group.envFiles)) {
    for (const edit of editsIn(value, from!.text, to!.text)) {
      if (means(written, withEdit(group.envFiles, edit)) === wanted) return edit;
    }
  }
  throw refusal(image, unit.label, "its version is put together from several places");
}

/** Returns a scalar without its quotes; null for one whose text is not what it means. */
function insideOf({ file, start, end }: Place): Place | null {
  const text = file.text.slice(start, end);
  const quote = /^["']/.exec(text)?.[0] ?? "";
  const inner = quote !== "" && text.length > 1 && text.endsWith(quote) ? text.slice(1, -1) : text;
  const isPlain = /^[^\\\n"'*&|>\s][^\\\n"']*$/.test(inner);
  const at = start + (inner === text ? 0 : 1);
  return isPlain ? { file, start: at, end: at + inner.length } : null;
}

/** Returns a change for each place where a version stands. */
function editsIn({ file, start, end }: Place, from: string, put: string): Edit[] {
  const edits: Edit[] = [];
  for (let at = file.text.indexOf(from, start); at >= 0 && edits.length < MOST_PLACES;) {
    if (at + from.length > end) break;
    edits.push({ file, start: at, end: at + from.length, put });
    at = file.text.indexOf(from, at + 1);
  }
  return edits;
}

/** Returns the text of a place with a change inside of it. */
function changed({ file, start, end }: Place, edit: Edit): string {
  return file.text.slice(start, edit.start) + edit.put + file.text.slice(edit.end, end);
}

/** Returns the values of env files, those that win first. */
function valuesOf(files: readonly ArtifactFile[]): Place[] {
  return files.toReversed().flatMap(({ documents: [document] }) =>
    document?.kind === "mapping" ? [...document.entries.values()].map(({ value }) => value) : []
  );
}

/** Returns the env files as they are read with a change. */
function withEdit(files: readonly ArtifactFile[], edit: Edit): ArtifactFile[] {
  const read: ArtifactFile[] = [];
  for (const file of files) {
    if (file.path !== edit.file.path) {
      read.push(file);
      continue;
    }
    const next = { ...file, text: changed({ file, start: 0, end: file.text.length }, edit) };
    const before = environmentOf(read);
    read.push({ ...next, documents: parseDotenv(next, undefined, (name) => before.get(name)).documents });
  }
  return read;
}

function refusal(at: Place, unit: string, why: string): ServiceError {
  const { file, range } = locationOf(at);
  return new ServiceError(
    "image_not_editable",
    `Cannot propose a change for "${unit}": ${why}; change it by hand (${file}:${range.start.line})`,
    { remedies: [{ kind: "edit", file, line: range.start.line }] },
  );
}
