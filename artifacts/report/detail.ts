/** One artifact in full: its fields, the author's own text, references both ways, and what is wrong with it. */

import type * as z from "../../core/schema.ts";
import type { Card, Group, Model, Place, Reference, Unit } from "../artifact.ts";
import { MASK } from "../../core/secrets.ts";
import { edgesAt, graphOf, targetOf } from "../graph/graph.ts";
import { shownReplicas } from "../live/state.ts";
import { positionOf, rangeOf } from "../position.ts";
import type { JudgedFinding } from "../rules/settings.ts";
import { shownOf, valueAt, writtenOr } from "../yaml/values.ts";
import type { CardDetail, GroupDetail, UnitDetail } from "./artifact_shape.ts";
import { maskedText, type Show, showing } from "./masked_text.ts";
import { diagnosticsAbout } from "./report.ts";

type Yaml = Pick<z.infer<typeof GroupDetail>, "yaml" | "yamlLine" | "masked">;
type Common =
  & Yaml
  & Pick<
    z.infer<typeof GroupDetail>,
    "id" | "name" | "title" | "description" | "source" | "references" | "referencedBy" | "diagnostics"
  >;

/** The parts of a detail beside the files. */
export interface DetailOptions {
  /** Findings of what runs. */
  readonly live?: readonly JudgedFinding[];
  /** Shows secrets, too. */
  readonly reveal?: boolean;
}

/** A group of the model. */
export function groupDetail(
  model: Model,
  group: Group,
  options: DetailOptions = {},
): z.infer<typeof GroupDetail> {
  const files = new Set(group.sources);
  return {
    kind: "group",
    ...commonOf(model, group, group.references, options, (file) => files.has(file)),
    project: group.project,
    folder: group.folder,
    standing: group.standing,
    includedBy: [...group.includedBy],
    files: group.files.map((file) => file.path),
    profiles: [...group.profiles],
    units: group.units.map((unit) => unit.id),
    resources: group.resources.map(({ id, kind, key, written, external }) => ({
      id,
      kind,
      key,
      name: written,
      external,
    })),
    incomplete: group.incomplete,
  };
}

/** A unit of the model. */
export function unitDetail(
  model: Model,
  unit: Unit,
  options: DetailOptions = {},
): z.infer<typeof UnitDetail> {
  const show = orNull(showing(options.reveal === true));
  const { service, value } = unit;
  const healthcheck = service?.healthcheck ?? null;
  return {
    kind: "unit",
    ...commonOf(model, unit, unit.references, options),
    group: unit.group,
    type: unit.type,
    image: show(service?.writtenImage ?? null),
    build: service !== null && service.build !== null,
    containerName: shownOf(service?.containerNameAt) ?? unit.container,
    profiles: [...service?.writtenProfiles ?? []],
    active: service?.active ?? true,
    replicas: shownReplicas(unit),
    restart: service === null ? null : shownOf(valueAt(value, "restart")),
    ports: service?.ports.map((port) => show(port.written)) ?? [],
    mounts: service?.mounts.map(({ at, type, shown, readOnly }) => ({
      type: writtenOr(valueAt(at, "type"), type),
      source: show(shown.source),
      target: show(shown.target),
      readOnly,
    })) ?? [],
    environment: [...service?.environment?.values() ?? []].map((
      { name, value, unknown, at, fromVariables },
    ) => ({
      name: show(name),
      value: value === null || unknown ? null : MASK,
      from: fromVariables ? "variable" : at.file.kind === "env" ? "env_file" : "environment",
      file: at.file.path,
    })),
    healthcheck: healthcheck === null ? "none" : healthcheck.disabled ? "disabled" : "declared",
  };
}

/** A card of the model. */
export function cardDetail(
  model: Model,
  card: Card,
  options: DetailOptions = {},
): z.infer<typeof CardDetail> {
  const show = orNull(showing(options.reveal === true));
  const references = card.subject === null ? [] : [card.subject];
  return {
    kind: "card",
    ...commonOf(model, card, references, options),
    origin: card.origin,
    owner: show(card.owner),
    lifecycle: card.lifecycle,
    tags: card.tags.map((tag) => show(tag)),
    links: card.links.map(({ url, title }) => ({ url: show(url), title: show(title) })),
    runbook: show(card.runbook?.written ?? null),
    subject: card.subject === null ? null : targetOf(model, card.subject, null),
  };
}

function commonOf(
  model: Model,
  artifact: Group | Unit | Card,
  references: readonly Reference[],
  { live = [], reveal = false }: DetailOptions,
  inFile: (file: Place["file"]) => boolean = () => false,
): Common {
  const graph = graphOf(model);
  const show = orNull(showing(reveal));
  const own = artifact.kind === "unit" ? artifact.group : artifact.kind === "group" ? artifact.id : null;
  const { extent } = artifact;
  const concerns = ({ subject, at }: JudgedFinding) =>
    subject === artifact.id ||
    (at !== null && (inFile(at.file) ||
      (at.file === extent.file && at.start >= extent.start && at.start < extent.end)));
  return {
    id: artifact.id,
    name: artifact.name,
    title: show(artifact.title),
    description: show(artifact.description),
    source: placeOf(artifact.source),
    ...yamlOf(extent, reveal),
    references: references.filter((reference) => reference.byDefault !== true).map((reference) => {
      const target = targetOf(model, reference, own);
      const node = target === null ? undefined : graph.numbers.get(target);
      const { condition, required, restart, access } = reference;
      return {
        kind: reference.kind,
        under: reference.under,
        written: show(reference.written),
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

/** Shows a text, and nothing where there is none. */
const orNull = (show: Show) => <Text extends string | null>(text: Text) =>
  (text === null ? null : show(text)) as Text extends string ? string : Text; // null stays null

/** From the comments right above to the end of the last line. */
function yamlOf({ file, start, end }: Place, reveal: boolean): Yaml {
  if (file.kind === "readme" || file.kind === "env") return { yaml: null, yamlLine: null, masked: false };
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
  const written = text.slice(from, to === -1 ? text.length : to + 1);
  const { line } = positionOf(file, from);
  const count = written.split("\n").length - 1;
  const yaml = reveal
    ? written
    : linesOf(maskedText(file), line - 1, written.endsWith("\n") ? count : count + 1);
  return { yaml, yamlLine: line, masked: yaml !== written };
}

/** Whole lines from one on, with the end of the last. */
function linesOf(text: string, first: number, count: number): string {
  let start = 0;
  for (let line = 0; line < first; line++) start = text.indexOf("\n", start) + 1;
  let end = start;
  for (let line = 0; line < count && end < text.length; line++) {
    const next = text.indexOf("\n", end);
    end = next === -1 ? text.length : next + 1;
  }
  return text.slice(start, end);
}
