/** The labels by which Docker Compose recognises what belongs to a project. */

import { below } from "../../artifacts/live/join.ts";
import { sha256 } from "../../artifacts/files/sha256.ts";
import { DECLARED } from "../fields/declared_label.ts";
import type { Digest } from "../fields/engine_view.ts";
import type { Declared } from "../fields/field.ts";
import { grantDigest, grantsOf } from "../fields/grants.ts";
import { FIELDS } from "../fields/table.ts";
import { dependenciesOf } from "../fields/dependencies.ts";
import { serviceJson } from "./service_json.ts";
import type { HashForm } from "./writer.ts";

const PROJECT = "com.docker.compose.project";

/** The project that something belongs to; null for nobody's. */
export const projectOf = (labels: Readonly<Record<string, string>>): string | null => labels[PROJECT] ?? null;

/** The values that the labels of one container are made from. */
interface Labelled {
  readonly of: Declared;
  readonly number: number;
  readonly imageId: string;
  /** The version of Compose that the project was made with last. */
  readonly version: string;
  readonly containerOf: (service: string) => string | undefined;
}

/** The form that a version of Compose writes its hashes in. */
export function hashFormOf(version: string): HashForm {
  return Number(version.replace(/^v/, "").split(".")[0]) >= 5 ? "b" : "a";
}

/**
 * Stands where Compose's form of the service is not sure: then it makes the container anew. Without the label it would
 * not see the container, and fail at its name.
 */
const NO_HASH = "0".repeat(64);

export function composeLabels(
  { of, number, imageId, version, containerOf }: Labelled,
): Record<string, string> {
  const { model, group, unit } = of;
  const hash = configHash(of, hashFormOf(version), containerOf);
  const dependencies = [...dependenciesOf(of)].map(([name, { condition, restart }]) =>
    `${name}:${condition ?? "service_started"}:${restart}`
  );
  return {
    [PROJECT]: group.project,
    "com.docker.compose.service": unit.label,
    "com.docker.compose.container-number": String(number),
    "com.docker.compose.oneoff": "False",
    "com.docker.compose.project.config_files": group.files.map(({ path }) => below(model.root, path)).join(
      ",",
    ),
    "com.docker.compose.project.working_dir": below(model.root, group.folder),
    "com.docker.compose.depends_on": dependencies.sort().join(","),
    "com.docker.compose.image": imageId,
    "com.docker.compose.version": version,
    "com.docker.compose.config-hash": hash ?? NO_HASH,
  };
}

/** Returns labels for what berth has to know later of a container and no engine tells. */
export function declaredLabels(
  of: Declared,
  digest: Digest,
  contents: ReadonlyMap<string, string>,
): Record<string, string> {
  const declared: Record<string, string> = {};
  for (const row of FIELDS) {
    const one = row.digest(of, digest);
    if (one !== null) declared[row.key] = one;
  }
  for (const granted of grantsOf(of)) {
    const one = grantDigest(granted, digest, contents);
    if (one !== null) declared[granted.id] = one;
  }
  return { [DECLARED]: JSON.stringify(declared) };
}

/** SHA-256 over Compose's JSON of the service; null where that is not sure. */
export function configHash(
  of: Declared,
  form: HashForm,
  containerOf: (service: string) => string | undefined,
): string | null {
  const json = serviceJson(of, form, containerOf);
  return typeof json === "string" ? sha256(json) : null;
}
