/** Reads what the files of a service add to its environment and labels, as Compose does. */

import type { ArtifactFile, KeyValue, Node, PathUse, Service } from "../artifact.ts";
import { parseDotenv } from "../env/dotenv.ts";
import type { Lookup } from "../env/interpolate.ts";
import { oneOrMany, scalarOf, textOf, valueAt } from "../yaml/values.ts";

/** The service with the values of its `env_file`s and `label_file`s: what it says itself wins. */
export function withFiles(
  service: Service,
  value: Node,
  paths: readonly PathUse[],
  variable: Lookup,
): Service {
  const own = new Map(
    [...service.environment].filter(([, { value }]) => value !== null).map((
      [name, { value }],
    ) => [name, value!]),
  );
  const formats = oneOrMany(valueAt(value, "env_file")).map((item) =>
    [scalarOf(valueAt(item, "path")), item] as const
  );
  const environment = valuesOf(
    paths.filter(({ kind }) => kind === "env_file"),
    (name) => variable(name) ?? own.get(name),
    (use) => textOf(valueAt(formats.find(([at]) => at === use.at)?.[1], "format")),
  );
  const labels = valuesOf(paths.filter(({ kind }) => kind === "label_file"), () => undefined, () => null);
  if (environment.size === 0 && labels.size === 0) return service;
  return {
    ...service,
    environment: new Map([...environment, ...service.environment]),
    labels: new Map([...labels, ...service.labels]),
  };
}

/** In order, the later file wins. Where one could not be read, no value of them is sure. */
function valuesOf(
  uses: readonly PathUse[],
  outside: Lookup,
  formatOf: (use: PathUse) => string | null,
): Map<string, KeyValue> {
  const values = new Map<string, KeyValue>();
  const isSure = uses.every(({ found, required, file }) =>
    file === undefined
      ? found === "missing" && !required
      : file.sound && !file.stale && file.findings.length === 0
  );
  for (const use of uses) {
    if (use.file === undefined) continue;
    const read = formatOf(use) === "raw"
      ? rawValues(use.file, outside)
      : dotenvValues(use.file, outside, (name) => values.get(name)?.value ?? undefined);
    for (const [name, { value, unknown, at }] of read) {
      values.set(name, { name, value, unknown: unknown || !isSure, at });
    }
  }
  return values;
}

function* dotenvValues(file: ArtifactFile, outside: Lookup, before: Lookup): Iterable<[string, KeyValue]> {
  // Variables are put in with what surrounds the service, and names alone are taken over from there.
  const [document] = parseDotenv(file, outside, before).documents;
  if (document?.kind !== "mapping") return;
  for (const [name, { key, value }] of document.entries) {
    if (value.kind !== "scalar" || typeof value.value !== "string") continue;
    const at = { file, start: key.start, end: value.end };
    yield [name, { name, value: value.value, unknown: value.unknown === true, at }];
  }
}

/** `format: raw`: a line is a name and a value, and nothing in it means anything. */
function* rawValues(file: ArtifactFile, outside: Lookup): Iterable<[string, KeyValue]> {
  let start = 0;
  for (const line of file.text.split("\n")) {
    const at = { file, start, end: start + line.length };
    start += line.length + 1;
    const written = line.replace(/\r$/, "").trimStart();
    if (written === "" || written.startsWith("#")) continue;
    const sign = written.indexOf("=");
    const name = sign === -1 ? written : written.slice(0, sign);
    const value = sign === -1 ? outside(name) : written.slice(sign + 1);
    if (value !== undefined) yield [name, { name, value, unknown: false, at }];
  }
}
