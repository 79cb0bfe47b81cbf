/** Artifacts as lists show them. */

import { maskDeclared } from "../../core/secrets.ts";
import type { Card, Group, Model, Place, Unit } from "../artifact.ts";
import { positionOf } from "../position.ts";
import { problemCounts } from "../rules/check.ts";
import type { ArtifactKind, ArtifactSummary } from "./artifact_shape.ts";

/** The filters of a list. */
export interface Narrowing {
  readonly kind?: ArtifactKind;
  /** Part of a name, title or image, in any case. */
  readonly q?: string;
}

const rows = new WeakMap<Model, readonly ArtifactSummary[]>();

/** The artifacts of a model: groups, units, cards, each in the order they were read. */
export function summariesOf(model: Model, { kind, q }: Narrowing = {}): readonly ArtifactSummary[] {
  let all = rows.get(model);
  if (all === undefined) rows.set(model, all = summarise(model));
  if (kind === undefined && q === undefined) return all;
  const needle = q?.toLowerCase() ?? "";
  return all.filter((row) =>
    (kind === undefined || row.kind === kind) &&
    (needle === "" || [row.name, row.title, row.image].some((text) => text?.toLowerCase().includes(needle)))
  );
}

function summarise(model: Model): ArtifactSummary[] {
  const counts = problemCounts(model);
  const row = (
    artifact: Group | Unit | Card,
    more: Pick<ArtifactSummary, "group" | "type" | "image">,
  ): ArtifactSummary => ({
    id: artifact.id,
    kind: artifact.kind,
    name: artifact.name,
    title: artifact.title === null ? null : maskDeclared(artifact.title),
    ...more,
    source: sourceOf(artifact.source),
    diagnostics: counts.get(artifact.id) ?? { error: 0, warning: 0 },
  });
  return [
    ...model.groups.map((group) => row(group, { group: null, type: group.standing, image: null })),
    ...model.units.map((unit) => row(unit, { group: unit.group, type: unit.type, image: imageOf(unit) })),
    ...model.cards.map((card) => row(card, { group: null, type: card.origin, image: null })),
  ];
}

function imageOf({ service }: Unit): string | null {
  const image = service?.writtenImage ?? null;
  return image === null ? null : maskDeclared(image);
}

function sourceOf(place: Place): ArtifactSummary["source"] {
  const { line, column } = positionOf(place.file, place.start);
  return { file: place.file.path, line, column };
}
