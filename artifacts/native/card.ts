/** Reads cards: `kind: Card`, Backstage catalogs, `x-card`, READMEs. */

import { withoutEnd } from "../../core/without_end.ts";
import type { ArtifactFile, Card, Entry, Link, Mapping, Node, Place } from "../artifact.ts";
import { folderOf } from "../files/paths.ts";
import { oneOrMany, shownOf, textOf, valueAt } from "../yaml/values.ts";

/** A card before its subject and runbook are looked up. */
export interface WrittenCard extends Omit<Card, "id" | "kind" | "subject" | "runbook"> {
  readonly runbook: { readonly written: string; readonly at: Place } | null;
  readonly subject: { readonly written: string; readonly at: Place } | null;
}

/** `parts` are searched in order, as `metadata` and `spec` are. */
export function readCard(
  origin: Card["origin"],
  name: string,
  source: Place,
  value: Mapping,
  parts: readonly (Node | null)[],
): WrittenCard {
  const find = (key: string): Node | null => {
    for (const part of parts) {
      const found = valueAt(part, key);
      if (found) return found;
    }
    return null;
  };
  const at = (key: string) => {
    const node = find(key);
    const written = shownOf(node);
    return written === null || !node ? null : { written, at: node };
  };
  return {
    name,
    origin,
    title: shownOf(find("title")),
    description: shownOf(find("description")),
    owner: shownOf(find("owner")),
    lifecycle: shownOf(find("lifecycle")),
    lifecycleAt: find("lifecycle") ?? null,
    tags: oneOrMany(find("tags")).map(shownOf).filter((tag) => tag !== null),
    links: oneOrMany(find("links")).map(linkOf).filter((link) => link !== null),
    runbook: at("runbook"),
    subject: at("subject"),
    folder: folderOf(source.file.path),
    source,
    extent: value,
    value,
  };
}

function linkOf(node: Node): Link | null {
  if (node.kind === "scalar") {
    const url = shownOf(node);
    return url === null ? null : { url, title: null, at: node };
  }
  const at = valueAt(node, "url");
  const url = shownOf(at);
  return url === null || !at ? null : { url, title: shownOf(valueAt(node, "title")), at };
}

const BACKSTAGE_KINDS = new Set(["Component", "System", "Resource", "API", "Domain"]);
const SUBJECT = "berth/subject";

/** Kinds that describe software; users, groups, templates and locations say nothing about a workspace. */
export function backstageCards(file: ArtifactFile): WrittenCard[] {
  const cards: WrittenCard[] = [];
  for (const document of file.documents) {
    if (document.kind !== "mapping") continue;
    const metadata = valueAt(document, "metadata");
    const nameAt = valueAt(metadata, "name");
    const name = textOf(nameAt);
    if (!BACKSTAGE_KINDS.has(textOf(valueAt(document, "kind")) ?? "") || name === null || !nameAt) continue;
    const card = readCard("backstage", name, nameAt, document, [metadata, valueAt(document, "spec")]);
    const subjectAt = valueAt(valueAt(metadata, "annotations"), SUBJECT);
    const written = textOf(subjectAt);
    cards.push({ ...card, subject: written === null || !subjectAt ? null : { written, at: subjectAt } });
  }
  return cards;
}

/** `x-card` of a group or a unit; its name is the id of what it describes. */
export function extensionCard(subject: string, entry: Entry | undefined): WrittenCard | null {
  if (entry?.value.kind !== "mapping") return null;
  const card = readCard("x-card", subject, entry.key, entry.value, [entry.value]);
  return {
    ...card,
    extent: { file: entry.key.file, start: entry.key.start, end: Math.max(entry.key.end, entry.value.end) },
    subject: { written: subject, at: entry.key },
  };
}

/** The first heading and the first paragraph of a README. */
export function readmeCard(subject: string, file: ArtifactFile): WrittenCard | null {
  const lines = file.text.slice(0, 8192).split("\n");
  let title: string | null = null;
  const paragraph: string[] = [];
  let offset = 0;
  let start = 0;
  let end = 0;
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    const from = offset;
    offset += raw.length + 1;
    const marks = /^#{1,6}\s+/.exec(line)?.[0];
    const heading = marks && withoutEnd(withoutEnd(line.slice(marks.length), "#"), " \t");
    const underlined = /^(?:=+|-+)$/.test(lines[index + 1]?.trim() ?? "") && line !== "";
    if (title === null && (heading || underlined)) {
      title = plain(heading ?? line);
      start = from;
      end = from + raw.length;
      continue;
    }
    const isText = line !== "" && heading === undefined && !/^(?:[-=]{3,}|[-*+>|<!`[]|\d+\.\s)/.test(line) &&
      !underlined;
    if (isText) {
      if (paragraph.length === 0 && title === null) start = from;
      paragraph.push(line);
      end = from + raw.length;
    } else if (paragraph.length > 0) break;
    else if (heading !== undefined && title !== null) break;
  }
  if (title === null && paragraph.length === 0) return null;
  const place = { file, start, end };
  return {
    name: subject,
    origin: "readme",
    title,
    description: paragraph.length === 0 ? null : plain(paragraph.join(" ")).slice(0, 1000),
    owner: null,
    lifecycle: null,
    lifecycleAt: null,
    tags: [],
    links: [],
    runbook: null,
    subject: { written: subject, at: place },
    folder: folderOf(file.path),
    source: place,
    extent: place,
    value: null,
  };
}

/** Markdown links and emphasis as their text. */
function plain(text: string): string {
  return text.replace(/!?\[([^\]]{0,300})\]\([^)]{0,500}\)/g, "$1").replace(/[*_`]{1,3}/g, "").trim();
}
