/** One artifact in full: its fields, the author's own text, references both ways, and what is wrong with it. */

import type { z } from "zod";
import type { Card, Group, Model, Place, Reference, Unit } from "../artifact.ts";
import { MASK } from "../../core/secrets.ts";
import { edgesAt, graphOf, targetOf } from "../graph/graph.ts";
import { rangeOf } from "../position.ts";
import type { JudgedFinding } from "../rules/settings.ts";
import type { CardDetail, GroupDetail, UnitDetail } from "./artifact_shape.ts";
import { diagnosticsAbout } from "./report.ts";

type Common = Pick<
  z.infer<typeof GroupDetail>,
  "id" | "name" | "title" | "description" | "source" | "yaml" | "references" | "referencedBy" | "diagnostics"
>;

/** A group of the model. */
export function groupDetail(
  model: Model,
  group: Group,
  live: readonly JudgedFinding[] = [],
): z.infer<typeof GroupDetail> {
  const files = new Set(group.sources);
  return {
    kind: "group",
    ...commonOf(model, group, group.references, live, (file) => files.has(file)),
    project: group.project,
    folder: group.folder,
    standing: group.standing,
    includedBy: [...group.includedBy],
    files: group.files.map((file) => file.path),
    profiles: [...group.profiles],
    units: group.units.map((unit) => unit.id),
    resources: group.resources.map(({ id, kind, key, name, external }) => ({
      id,
      kind,
      key,
      name,
      external,
    })),
    incomplete: group.incomplete,
  };
}

/** A unit of the model. */
export function unitDetail(
  model: Model,
  unit: Unit,
  live: readonly JudgedFinding[] = [],
): z.infer<typeof UnitDetail> {
  const { service } = unit;
  const healthcheck = service?.healthcheck ?? null;
  return {
    kind: "unit",
    ...commonOf(model, unit, unit.references, live),
    group: unit.group,
    type: unit.type,
    image: service?.image ?? null,
    build: service?.build ?? false,
    containerName: service?.containerName ?? unit.container,
    profiles: [...service?.profiles ?? []],
    active: service?.active ?? true,
    replicas: service === null ? null : service.replicas,
    restart: service?.restart ?? null,
    ports: service?.ports.map((port) => port.written) ?? [],
    mounts:
      service?.mounts.map(({ type, source, target, readOnly }) => ({ type, source, target, readOnly })) ?? [],
    environment: [...service?.environment ?? []].map(([name, { value, unknown, at, fromVariables }]) => ({
      name,
      value: value === null || unknown ? null : MASK,
      from: fromVariables ? "variable" : at.file.kind === "env" ? "env_file" : "environment",
      file: at.file.path,
    })),
    healthcheck: healthcheck === null ? "none" : healthcheck.disabled ? "disabled" : "declared",
  };
}

/** A card of the model. */
export function cardDetail(model: Model, card: Card): z.infer<typeof CardDetail> {
  const references = card.subject === null ? [] : [card.subject];
  return {
    kind: "card",
    ...commonOf(model, card, references),
    origin: card.origin,
    owner: card.owner,
    lifecycle: card.lifecycle,
    tags: [...card.tags],
    links: card.links.map(({ url, title }) => ({ url, title })),
    runbook: card.runbook?.written ?? null,
    subject: card.subject === null ? null : targetOf(model, card.subject, null),
  };
}

function commonOf(
  model: Model,
  artifact: Group | Unit | Card,
  references: readonly Reference[],
  live: readonly JudgedFinding[] = [],
  inFile: (file: Place["file"]) => boolean = () => false,
): Common {
  const graph = graphOf(model);
  const own = artifact.kind === "unit" ? artifact.group : artifact.kind === "group" ? artifact.id : null;
  const { extent } = artifact;
  const concerns = ({ subject, at }: JudgedFinding) =>
    subject === artifact.id ||
    (at !== null && (inFile(at.file) ||
      (at.file === extent.file && at.start >= extent.start && at.start < extent.end)));
  return {
    id: artifact.id,
    name: artifact.name,
    title: artifact.title,
    description: artifact.description,
    source: placeOf(artifact.source),
    yaml: textOf(extent),
    references: references.filter((reference) => reference.byDefault !== true).map((reference) => {
      const target = targetOf(model, reference, own);
      const node = target === null ? undefined : graph.numbers.get(target);
      const { condition, required, restart, access } = reference;
      return {
        kind: reference.kind,
        under: reference.under,
        written: reference.written,
        target,
        resolved: node !== undefined && graph.nodes[node]!.kind !== "missing",
        implicit: reference.implicit,
        ...(condition !== undefined && { condition }),
        ...(required !== undefined && { required }),
        ...(restart !== undefined && { restart }),
        ...(access !== undefined && { access }),
        source: placeOf(reference.at),
      };
    }),
    referencedBy: edgesAt(graph, artifact.id).into.flatMap(({ reference, source, kind }) =>
      reference === null
        ? []
        : [{ kind, from: graph.nodes[source]!.id, under: reference.under, source: placeOf(reference.at) }]
    ),
    diagnostics: diagnosticsAbout(model, concerns, live),
  };
}

const placeOf = (place: Place) => ({ file: place.file.path, range: rangeOf(place) });

/** From the comments right above to the end of the last line. */
function textOf({ file, start, end }: Place): string | null {
  if (file.kind === "readme" || file.kind === "env") return null;
  const { text } = file;
  let from = text.lastIndexOf("\n", start - 1) + 1;
  const indent = start - from;
  while (from > 0) {
    const above = text.lastIndexOf("\n", from - 2) + 1;
    const line = text.slice(above, from);
    if (!line.trimStart().startsWith("#") || line.length - line.trimStart().length !== indent) break;
    from = above;
  }
  const trimmed = text.slice(0, end).trimEnd().length;
  const to = text.indexOf("\n", Math.max(trimmed, start));
  return text.slice(from, to === -1 ? text.length : to + 1);
}
