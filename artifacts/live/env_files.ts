/** What the `env_file`s of a unit set, as far as every Compose reads it alike. */

import type { ArtifactFile, Unit } from "../artifact.ts";
import { oneOrMany, textOf, valueAt } from "../yaml/values.ts";

/** The values by name, without those that `environment` sets. Empty where one of the files was not read. */
export function valuesOfFiles(unit: Unit): Map<string, string> {
  const values = new Map<string, string | null>();
  const items = oneOrMany(valueAt(unit.value, "env_file"));
  // Another format is read by other rules.
  if (items.some((item) => valueAt(item, "format") !== null)) return new Map();
  for (const { kind, found, required, file } of unit.paths) {
    if (kind !== "env_file" || (found === "missing" && !required)) continue;
    if (file === undefined || !file.sound || file.stale || file.findings.length > 0) return new Map();
    for (const [name, value] of valuesOf(file)) values.set(name, value);
  }
  for (const name of unit.service!.environment.keys()) values.delete(name);
  return new Map([...values].filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Null where the value is not in the file, or where versions of Compose differ in what they make of it. */
function* valuesOf(file: ArtifactFile): Iterable<[string, string | null]> {
  const mapping = file.documents[0];
  if (mapping?.kind !== "mapping") return;
  for (const [name, { key, value }] of mapping.entries) {
    const written = file.text.slice(key.end, value.end + 1);
    const isPlain = written.trimStart().startsWith("=") && !/[\\$]/.test(written);
    yield [name, isPlain ? textOf(value) : null];
  }
}
