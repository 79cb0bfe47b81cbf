/** The last step of reading: groups, units and cards become one model with a revision. */

import { createHash } from "node:crypto";
import type { ArtifactFile, Card, Finding, Group, Model, Reference, Unit } from "../artifact.ts";
import { yieldToEventLoop } from "../event_loop.ts";
import { type FileStore, isRefusal } from "../files/file_store.ts";
import { baseName, resolve } from "../files/paths.ts";
import { backstageCards, extensionCard, readmeCard, type WrittenCard } from "../native/card.ts";
import { type Natives, unitOf } from "../native/documents.ts";
import type { ReadSettings } from "../native/settings.ts";
import type { Gathered } from "./gather.ts";

interface ModelParts {
  readonly root: string;
  readonly store: FileStore;
  readonly settings: ArtifactFile | null;
  readonly read: ReadSettings;
  readonly gathered: Gathered;
  readonly natives: readonly Natives[];
  readonly built: readonly Group[];
  readonly findings: readonly Finding[];
  readonly begun: number;
}

export async function assemble(parts: ModelParts): Promise<Model> {
  const { root, natives, read } = parts;
  const groups = [...parts.built].sort((one, other) => one.id < other.id ? -1 : 1);
  const findings: Finding[] = [
    ...parts.findings,
    ...read.findings,
    ...natives.flatMap((native) => native.findings),
  ];
  const names = new Set(groups.filter((group) => group.standing === "main").map((group) => group.name));
  const units: Unit[] = groups.filter((group) => group.standing === "main").flatMap((group) => group.units);
  for (const native of natives.flatMap((one) => one.units)) {
    const group = native.group?.written.replace(/^group:/, "");
    if (group !== undefined && names.has(group)) continue;
    if (native.group) {
      findings.push({
        code: "ref/unknown-group",
        message: `Group "${native.group.written}" of unit "${native.name}" does not exist`,
        at: native.group.at,
      });
    }
    units.push(unitOf(native, null));
  }
  const { cards, readmes } = await cardsOf(parts, groups, units);
  await yieldToEventLoop();
  const sorted = filesOf(parts, groups, readmes);
  await yieldToEventLoop();
  if (groups.length === 0 && units.length === 0 && cards.length === 0) {
    const message = "No Compose files or other artifacts in this folder";
    findings.push({ code: "workspace/empty", message, at: null });
  }
  return {
    root,
    revision: await revisionOf(root, sorted, groups, cards, findings),
    files: sorted,
    groups,
    units,
    cards,
    settings: read.settings,
    findings,
    complete: ![findings, ...[...sorted, ...groups].map((one) => one.findings)].some(hasLimit),
    durationMs: performance.now() - parts.begun,
  };
}

const hasLimit = (findings: readonly Finding[]): boolean =>
  findings.some(({ code }) => code === "fs/limit-reached");

/** All cards by id, and the READMEs that became one. */
async function cardsOf(
  { natives, gathered, store }: ModelParts,
  groups: readonly Group[],
  units: readonly Unit[],
): Promise<{ cards: Card[]; readmes: ArtifactFile[] }> {
  const written = [
    ...natives.flatMap((native) => native.cards),
    ...gathered.backstage.flatMap(backstageCards),
    ...extensionCards(groups),
  ];
  const subjects = new Subjects(groups, units);
  const cards: Card[] = [];
  for (const card of written) cards.push(await finish(card, subjects, store));
  const readmes = await readmeCards(groups, cards, gathered, store);
  for (const { card } of readmes) cards.push(await finish(card, subjects, store));
  cards.sort((one, other) => one.id < other.id ? -1 : 1);
  return { cards, readmes: readmes.map(({ file }) => file) };
}

/** Every file that has a part in the model, by path. */
function filesOf(
  { settings, gathered }: ModelParts,
  groups: readonly Group[],
  readmes: readonly ArtifactFile[],
): ArtifactFile[] {
  const files = new Map<string, ArtifactFile>();
  const add = (file: ArtifactFile) => {
    if (!files.has(file.path)) files.set(file.path, file);
  };
  if (settings) add(settings);
  for (const file of [...gathered.natives, ...gathered.backstage, ...readmes]) add(file);
  for (const group of groups) for (const file of [...group.sources, ...group.envFiles]) add(file);
  return [...files.values()].sort((one, other) => one.path < other.path ? -1 : 1);
}

function extensionCards(groups: readonly Group[]): WrittenCard[] {
  const cards: (WrittenCard | null)[] = [];
  for (const group of groups) {
    if (group.standing !== "main") continue;
    cards.push(extensionCard(group.id, group.value?.entries.get("x-card")));
    for (const unit of group.units) {
      if (unit.value.kind === "mapping") cards.push(extensionCard(unit.id, unit.value.entries.get("x-card")));
    }
  }
  return cards.filter((card) => card !== null);
}

/** READMEs as cards of groups that have no other card. */
async function readmeCards(
  groups: readonly Group[],
  cards: readonly Card[],
  gathered: Gathered,
  store: FileStore,
): Promise<{ card: WrittenCard; file: ArtifactFile }[]> {
  const described = new Set(cards.map((card) => card.subject?.target));
  const folders = new Map<string, number>();
  for (const { folder, standing } of groups) {
    if (standing === "main") folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  const found: { card: WrittenCard; file: ArtifactFile }[] = [];
  for (const group of groups) {
    const path = gathered.readmes.get(group.folder);
    // A README beside several groups describes the folder, not one of them.
    if (group.standing !== "main" || described.has(group.id) || folders.get(group.folder) !== 1 || !path) {
      continue;
    }
    const file = await store.get(path, "readme");
    if (isRefusal(file)) continue;
    const card = readmeCard(group.id, file);
    if (card) found.push({ card, file });
  }
  return found;
}

/** The artifacts that the subject of a card can name. */
class Subjects {
  readonly #ids = new Set<string>();
  readonly #byName = new Map<string, { id: string; folder: string }[]>();

  constructor(groups: readonly Group[], units: readonly Unit[]) {
    const folders = new Map<string, string>();
    for (const group of groups) {
      if (group.standing !== "main") continue;
      folders.set(group.id, group.folder);
      this.#add(group.name, group.id, group.folder);
    }
    for (const unit of units) {
      const folder = unit.group === null ? "" : folders.get(unit.group) ?? "";
      this.#add(unit.label, unit.id, folder);
      if (unit.name !== unit.label) this.#add(unit.name, unit.id, folder);
    }
  }

  #add(name: string, id: string, folder: string): void {
    this.#ids.add(id);
    const key = name.toLowerCase();
    const known = this.#byName.get(key);
    if (known) known.push({ id, folder });
    else this.#byName.set(key, [{ id, folder }]);
  }

  /** The id that `[kind:]name` means from a folder, if it is exactly one. */
  find(written: string, folder: string): string | null {
    if (this.#ids.has(written)) return written;
    const kind = /^(group|unit):/.exec(written)?.[0] ?? "";
    const found = (this.#byName.get(written.slice(kind.length).toLowerCase()) ?? []).filter(({ id }) =>
      id.startsWith(kind)
    );
    const near = found.filter((one) => one.folder === folder);
    const best = near.length > 0 ? near : found;
    // A group and a service of the same name: the group is meant.
    const of = best.length > 1 ? best.filter(({ id }) => id.startsWith("group:")) : best;
    return of.length === 1 ? of[0]!.id : best.length === 1 ? best[0]!.id : null;
  }
}

async function finish(card: WrittenCard, subjects: Subjects, store: FileStore): Promise<Card> {
  const id = `card:${card.name}`;
  const named = card.subject ??
    (card.origin === "backstage" ? { written: card.name, at: card.source } : null);
  const target = named && subjects.find(named.written, card.folder);
  const subject: Reference | null = named && (card.subject !== null || target !== null)
    ? {
      kind: "describes",
      from: id,
      target,
      written: named.written,
      at: named.at,
      implicit: card.subject === null,
      under: card.origin === "backstage" ? "metadata.annotations" : "spec.subject",
    }
    : null;
  return {
    ...card,
    id,
    kind: "card",
    subject,
    runbook: card.runbook && await runbook(card.runbook, card.folder, store),
  };
}

async function runbook(
  { written, at }: NonNullable<WrittenCard["runbook"]>,
  folder: string,
  store: FileStore,
): Promise<NonNullable<Card["runbook"]>> {
  if (/^(?:https?|mailto):/i.test(written)) return { written, at, path: null, found: null };
  const path = resolve(store.root, folder, written);
  return { written, at, path, found: path !== null && await store.look(path) === "file" };
}

export async function revisionOf(
  root: string,
  files: readonly ArtifactFile[],
  groups: readonly Group[],
  cards: readonly Card[],
  findings: readonly Finding[],
): Promise<string> {
  const hash = createHash("sha256");
  hash.update(`${baseName(root)}\n`);
  for (const file of files) hash.update(`${file.path}\0${file.hash}\0${file.stale}\n`);
  for (const group of groups) {
    await yieldToEventLoop();
    hash.update(`${group.id}\0${pathsDigest(group)}\n`);
  }
  for (const card of cards) hash.update(`${card.id}\0${card.runbook?.found ?? ""}\n`);
  for (const finding of findings) hash.update(`${finding.code}\0${finding.path ?? ""}\0${finding.message}\n`);
  return `sha256:${hash.digest("hex")}`;
}

const digests = new WeakMap<Group, string>();

/** Digests what was found at the paths that a group names: a change there makes another revision. */
function pathsDigest(group: Group): string {
  let digest = digests.get(group);
  if (digest === undefined) {
    const uses = [...group.paths, ...group.units.flatMap((unit) => unit.paths)];
    digest = `${group.standing}\0${group.includedBy.join()}\0` +
      uses.map(({ path, found, example, file }) => `${path}=${found}${example ? "+" : ""}${file?.hash ?? ""}`)
        .join("\0");
    digests.set(group, digest);
  }
  return digest;
}
