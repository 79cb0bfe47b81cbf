/** A part of a workspace as a model of its own: what is left when some of its groups are not there. */

import type { ArtifactFile, Card, Finding, Group, Model } from "../artifact.ts";
import { revisionOf } from "./assemble.ts";

/** The groups that `isShown` lets through, with their units, cards and files; null where there is none. */
export async function partOf(model: Model, isShown: (group: Group) => boolean): Promise<Model | null> {
  const shown = new Set(model.groups.filter(isShown).map(({ id }) => id));
  const isPart = (group: Group) =>
    group.standing === "included" ? group.includedBy.some((id) => shown.has(id)) : shown.has(group.id);
  const groups = model.groups.filter(isPart).map((group) => withoutStrangers(group, shown));
  if (groups.length === 0) return null;
  const units = model.units.filter(({ group }) => group !== null && shown.has(group));
  const ids = new Set([...shown, ...units.map(({ id }) => id)]);
  const isOfPart = ({ subject }: Card) => ids.has(subject?.target ?? "");
  const cards = model.cards.filter(isOfPart);
  const files = filesOf(model, groups, cards, isOfPart);
  const paths = new Set(files.map(({ path }) => path));
  const findings = model.findings.filter((finding) => isAbout(finding, paths));
  return {
    ...model,
    groups,
    units,
    cards,
    files,
    findings,
    revision: await revisionOf(model.root, files, groups, cards, findings),
  };
}

/** Leaves out the groups that include it and are not shown. */
function withoutStrangers(group: Group, shown: ReadonlySet<string>): Group {
  return group.includedBy.every((id) => shown.has(id))
    ? group
    : { ...group, includedBy: group.includedBy.filter((id) => shown.has(id)) };
}

/** The files of the groups, and those that hold nothing but their cards. */
function filesOf(
  model: Model,
  groups: readonly Group[],
  cards: readonly Card[],
  isOfPart: (card: Card) => boolean,
): ArtifactFile[] {
  const files = new Set<ArtifactFile>(cards.map(({ extent }) => extent.file));
  for (const card of model.cards) if (!isOfPart(card)) files.delete(card.extent.file);
  for (const unit of model.units) if (unit.group === null) files.delete(unit.extent.file);
  for (const group of groups) for (const file of [...group.sources, ...group.envFiles]) files.add(file);
  return model.files.filter((file) => files.has(file));
}

function isAbout({ at, path }: Finding, paths: ReadonlySet<string>): boolean {
  return at !== null ? paths.has(at.file.path) : path !== undefined && paths.has(path);
}
