/** The variables that the `env_file`s of a unit set, as far as all versions of Compose agree. */

import type { ArtifactFile, Place, Unit } from "../../artifacts/artifact.ts";
import { oneOrMany, textOf, valueAt } from "../../artifacts/yaml/values.ts";

/** A value of a file; null where versions of Compose differ in what they make of it. */
export interface FileValue {
  readonly value: string | null;
  readonly at: Place;
}

/**
 * The values by name, without those that `environment` sets. Null where one of the files was not read: then no value
 * is sure.
 */
export function valuesOfFiles(unit: Unit): ReadonlyMap<string, FileValue> | null {
  const values = new Map<string, FileValue>();
  const items = oneOrMany(valueAt(unit.value, "env_file"));
  // Another format is read by other rules.
  if (items.some((item) => valueAt(item, "format") !== null)) return null;
  for (const { kind, found, required, file } of unit.paths) {
    if (kind !== "env_file" || (found === "missing" && !required)) continue;
    if (file === undefined || !file.sound || file.stale || file.findings.length > 0) return null;
    for (const [name, value] of valuesOf(file)) values.set(name, value);
  }
  for (const name of unit.service!.environment.keys()) values.delete(name);
  return values;
}

function* valuesOf(file: ArtifactFile): Iterable<[string, FileValue]> {
  const mapping = file.documents[0];
  if (mapping?.kind !== "mapping") return;
  for (const [name, { key, value }] of mapping.entries) {
    const written = file.text.slice(key.end, value.end + 1);
    const isPlain = written.trimStart().startsWith("=") && !/[\\$]/.test(written);
    yield [name, { value: isPlain ? textOf(value) : null, at: { file, start: key.start, end: value.end } }];
  }
}
