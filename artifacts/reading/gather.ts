/** Reads the files that were found, by kind. */

import type { ArtifactFile, Finding } from "../artifact.ts";
import { type FileStore, isRefusal } from "../files/file_store.ts";
import { notFoundFinding } from "../files/findings.ts";
import { join } from "../files/paths.ts";
import type { Refusal } from "../files/safe_reader.ts";
import { IGNORE_FILE, isComposeName, type Listing, SETTINGS_FILE } from "./discover.ts";
import { eachOf } from "./each_of.ts";
import type { PlannedProject } from "./plan.ts";

/** The files of a workspace by kind, beside its Compose files. */
export interface Gathered {
  readonly natives: readonly ArtifactFile[];
  readonly backstage: readonly ArtifactFile[];
  readonly envs: ReadonlyMap<string, ArtifactFile>;
  readonly readmes: ReadonlyMap<string, string>;
  readonly findings: readonly Finding[];
}

export async function gather(store: FileStore, listing: Listing): Promise<Gathered> {
  const natives: ArtifactFile[] = [];
  const backstage: ArtifactFile[] = [];
  const envs = new Map<string, ArtifactFile>();
  const readmes = new Map<string, string>();
  const findings: Finding[] = [];
  await eachOf([...listing.folders], async ([folder, names]) => {
    for (const name of names) {
      const path = join(folder, name);
      if (name === ".env") {
        const env = await store.get(path, "env");
        if (!isRefusal(env)) envs.set(folder, env);
        else findings.push(...refusalFinding(path, env, "error"));
      } else if (/^readme/i.test(name)) {
        if (!readmes.has(folder)) readmes.set(folder, path);
      } else if (isComposeName(name)) {
        const file = await store.get(path, "compose");
        if (isRefusal(file)) findings.push(...refusalFinding(path, file, "error"));
      } else if (name !== IGNORE_FILE && path !== SETTINGS_FILE) {
        const file = await store.detect(path);
        if (file === null) continue;
        if (isRefusal(file)) findings.push(...refusalFinding(path, file, "info"));
        else if (file.kind === "native") natives.push(file);
        else if (file.kind === "backstage") backstage.push(file);
      }
    }
  });
  const byPath = (one: ArtifactFile, other: ArtifactFile) => one.path < other.path ? -1 : 1;
  return { natives: natives.sort(byPath), backstage: backstage.sort(byPath), envs, readmes, findings };
}

export function refusalFinding(path: string, refusal: Refusal, severity: "error" | "info"): Finding[] {
  if (refusal.code === "missing") return [];
  const message = `Cannot read "${path}": ${refusal.why}`;
  return [
    refusal.code === "fs/symlink-escape" && severity === "error"
      ? { code: refusal.code, message, at: null, path }
      : { code: refusal.code, severity, message, at: null, path },
  ];
}

/** Findings for the files that COMPOSE_FILE or a Group names and that are not there. */
export async function missingFiles(store: FileStore, planned: readonly PlannedProject[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const project of planned) {
    for (const [path, at] of project.namedAt) {
      const file = await store.get(path, "compose");
      if (!isRefusal(file)) continue;
      findings.push(
        file.code === "missing" ? notFoundFinding("ref/include-missing", path, at) : {
          code: file.code,
          ...(file.severity !== undefined && { severity: file.severity }),
          message: `Cannot read "${path}": ${file.why}`,
          at,
        },
      );
    }
  }
  return findings;
}
