/** Variables that are not set, and where Compose refuses the empty text that it puts in their place. */

import type { Finding, Group, Node, Place, Unit } from "../artifact.ts";
import { projectName } from "../compose/names.ts";
import { readService } from "../compose/service.ts";
import { withEntries, withItems } from "../yaml/values.ts";
import { isRuleCode, ruleOf } from "./catalog.ts";
import { checkService } from "./compose_service.ts";
import { checkValues } from "./compose_value.ts";
import { CONTAINER_NAME } from "./name.ts";
import { sayInto } from "./say.ts";
import { checkServiceShape } from "./schema.ts";

/** Codes of errors that only engines raise. */
const ENGINES = ["compose/bad-image-ref"];
const REFUSED = "and Compose refuses the empty text here";

/** Returns the findings from joining the files of a group, with the consequences of unset variables. */
export function findingsOfVariables(group: Group): readonly Finding[] {
  if (!group.findings.some(({ code }) => code === "env/unset-variable")) return group.findings;
  const refused = refusedPlaces(group);
  const told = new Set<Place>();
  const findings = group.findings.map((finding): Finding => {
    if (finding.code !== "env/unset-variable" || finding.at === null) return finding;
    const places = [finding.at, ...finding.related?.map(({ at }) => at) ?? []];
    const at = places.find((place) => {
      const around = refused.find((one) => contains(one, place));
      if (around !== undefined) told.add(around);
      return around !== undefined;
    });
    if (at === undefined) return finding;
    return {
      ...finding,
      at,
      message: `${finding.message}, ${REFUSED}`,
      related: places.filter((place) => place !== at).map((place) => ({
        message: "Also used here",
        at: place,
      })),
      data: { ...finding.data, refused: true },
    };
  });
  const more = refused.filter((place) => !told.has(place)).map((at): Finding => ({
    code: "env/unset-variable",
    message: `A variable is not set, ${REFUSED}`,
    at,
    data: { refused: true },
  }));
  return [...findings, ...more];
}

const contains = (outer: Place, inner: Place): boolean =>
  outer.file === inner.file && inner.start >= outer.start && inner.end <= outer.end;

/** Every value with an unset variable that is an error once it is empty. */
function refusedPlaces(group: Group): Place[] {
  const unknown: Place[] = [];
  const errors: Finding[] = [];
  const say = sayInto(errors);
  const name = group.value?.entries.get("name")?.value;
  if (name?.kind === "scalar" && name.unknown && group.projectFrom.by === "folder") {
    if (projectName(String(name.value)) === "") unknown.push(name);
  }
  const names = unknown.length;
  for (const unit of group.units) {
    if (unit.service === null) continue;
    const before = unknown.length;
    const value = emptied(unit.value, unknown);
    if (unknown.length === before) continue;
    const known: Unit = { ...unit, value, service: readService(value, [], () => undefined) };
    checkServiceShape(known.label, value, say);
    checkService(group, known, group.standing === "main", say);
    checkValues(known, say);
    const { containerName, containerNameAt } = known.service!;
    if (containerName !== null && !CONTAINER_NAME.test(containerName)) {
      say("name/container-name-invalid", containerNameAt!, "");
    }
  }
  const wrong = errors.filter(({ severity, code }) =>
    (severity ?? (isRuleCode(code) ? ruleOf(code).severity : "error")) === "error" && !ENGINES.includes(code)
  );
  return unknown.filter((place, index) =>
    index < names ||
    wrong.some(({ at, code }) =>
      at !== null &&
      (contains(at, place) || (code === "compose/no-image-or-build" && isImageOf(group, at, place)))
    )
  );
}

/** The finding of a missing image is placed at the service's name. */
const isImageOf = (group: Group, at: Place, place: Place): boolean =>
  group.units.some(({ source, service }) => source === at && service?.imageAt === place);

/** As Compose has it: what is not set is empty. */
function emptied(node: Node, unknown: Place[]): Node {
  if (node.kind === "scalar") {
    if (node.unknown !== true) return node;
    unknown.push(node);
    const { unknown: _, ...rest } = node;
    return rest;
  }
  if (node.kind === "list") {
    const items = node.items.map((item) => emptied(item, unknown));
    return { ...withItems(node, items), ...(node.merged && { merged: true }) };
  }
  return withEntries(
    node,
    new Map(
      [...node.entries].map((
        [key, entry],
      ) => [key, { key: entry.key, value: emptied(entry.value, unknown) }]),
    ),
  );
}
