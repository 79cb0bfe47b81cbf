/** A file as callers see it who may not see secrets: of `.env`, also the plain values that an engine shows anyway. */

import { looksPlain } from "../../core/plain_values.ts";
import { joined, maskText, type Span } from "../../core/secrets.ts";
import type { ArtifactFile, Group, Model, Node, Scalar } from "../artifact.ts";
import { interpolateText } from "../env/interpolate.ts";
import { scalarsOf, valueAt } from "../yaml/values.ts";
import { type Masked, maskedOf, maskSpans, secretsIn } from "./masked_text.ts";
import { definitionsOf, shownNames } from "./values.ts";

/** By the model: what another file does with a variable decides, too. */
const known = new WeakMap<Model, Map<ArtifactFile, Masked>>();

/**
 * Returns the masked text of a file of a workspace. `model` is the whole workspace, never the part in a caller's scope.
 * Without it, and for a text that is not the saved one, every value of an environment file is masked.
 */
export function maskedFile(file: ArtifactFile, model: Model | null): Masked {
  if (file.kind !== "env" || model === null || file.unsaved || !isSaved(file, model)) return maskedOf(file);
  let own = known.get(model);
  if (own === undefined) known.set(model, own = new Map());
  let masked = own.get(file);
  if (masked === undefined) own.set(file, masked = maskSpans(file.text, environmentSecrets(file, model)));
  return masked;
}

const isSaved = (file: ArtifactFile, { files }: Model): boolean =>
  files.some(({ path, hash }) => path === file.path && hash === file.hash);

/** Returns the places of secrets in an environment file of the workspace; those of all values where one is in doubt. */
export function environmentSecrets(file: ArtifactFile, model: Model): Span[] {
  const spans = secretsIn(file);
  const shown = plainValues(file, model);
  return joined(spans.flatMap((span): Span[] => {
    const value = shown.find(({ start, end }) => span[0] === start && end <= span[1]);
    return value !== undefined && isHarmless(file.text.slice(value.end, span[1])) ? [] : [span];
  }));
}

/** Returns true for a comment behind a value that names nothing. */
const isHarmless = (behind: string): boolean =>
  behind === "" || (!/[=:]/.test(behind) && maskText(behind) === behind);

/** The values that every group with the file may show. */
function plainValues(file: ArtifactFile, model: Model): Scalar[] {
  const [document] = file.documents;
  const groups = model.groups.filter(({ envFiles }) => envFiles.some(({ path }) => path === file.path));
  const isInDoubt = !model.complete || !file.sound || file.stale || file.findings.length > 0 ||
    groups.some(({ incomplete }) => incomplete) || isGranted(file.path, model);
  if (isInDoubt || document?.kind !== "mapping") return [];
  const used = new Set(groups.flatMap((group) => [...openNames(group)]));
  return [...document.entries].flatMap(([name, { key, value }]) => {
    if (value.kind !== "scalar" || !used.has(name) || !isWrittenPlain(value)) return [];
    const isShown = groups.every((group) => {
      const at = definitionsOf(group).get(name)?.at; // a later file may set another value
      return at?.file.path === file.path && at.start === key.start && shownNames(group, model).has(name);
    });
    return isShown ? [value] : [];
  });
}

/** Returns true if the file itself is a secret or a config. */
const isGranted = (path: string, { groups }: Model): boolean =>
  groups.some((group) =>
    [...group.paths, ...group.units.flatMap((unit) => unit.paths)].some((use) =>
      use.path === path && use.kind !== "env_file"
    )
  );

/** Returns true for a value in one line that stands there as it is read. */
function isWrittenPlain({ file, start, end, value }: Scalar): boolean {
  const raw = file.text.slice(start, end);
  const bare = /^(["'])(.*)\1$/.exec(raw)?.[2] ?? raw;
  return bare !== "" && bare === value && looksPlain(bare);
}

/** The fields that an engine shows to everybody who sees the container. */
const OPEN_FIELDS: readonly (readonly string[])[] = [
  ["image"],
  ["platform"],
  ["ports"],
  ["scale"],
  ["restart"],
  ["user"],
  ["container_name"],
  ["hostname"],
  ["volumes"],
  ["cpus"],
  ["mem_limit"],
  ["deploy", "replicas"],
  ["deploy", "resources"],
];

/** The variables of a group that such fields are made of. */
function* openNames(group: Group): Iterable<string> {
  const set = definitionsOf(group);
  const names = (node: Node | null) =>
    node === null
      ? []
      : [...scalarsOf(node)].flatMap(({ written }) =>
        written === undefined ? [] : interpolateText(written, (name) => set.get(name)?.value).names
      );
  for (const { value } of group.units) for (const path of OPEN_FIELDS) yield* names(valueAt(value, ...path));
}
