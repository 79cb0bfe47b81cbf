/** Which of the files found make which projects, before any of them is put together. */

import type { ArtifactFile, Finding, Place } from "../artifact.ts";
import type { ProjectSpec } from "../compose/project.ts";
import { child, textOf } from "../yaml/values.ts";
import { CANONICAL, OVERRIDES, variantOf } from "./discover.ts";
import type { NativeGroup } from "../native/documents.ts";
import { baseName, join, resolve } from "../files/paths.ts";

export interface Plan {
  readonly projects: PlannedProject[];
  readonly findings: Finding[];
}

export interface PlannedProject {
  /** Stable while the same files make it. */
  readonly key: string;
  readonly spec: ProjectSpec;
  readonly by: "canonical" | "env" | "native" | "variant";
  /** `prod` of `compose.prod.yaml`. */
  readonly variant: string | null;
  /** A variant beside a canonical file is only checked; without one it is a project of its own. */
  readonly besideCanonical: boolean;
  readonly native: NativeGroup | null;
  /** Where each file is named, if not by its own name. */
  readonly namedAt: ReadonlyMap<string, Place>;
}

/** `folders` with the names of the files in them, `envs` by folder. */
export function plan(
  root: string,
  folders: ReadonlyMap<string, readonly string[]>,
  envs: ReadonlyMap<string, ArtifactFile>,
  natives: readonly NativeGroup[],
): Plan {
  const projects: PlannedProject[] = [];
  const findings: Finding[] = [];
  const claimed = new Set<string>();
  const planned = (
    by: PlannedProject["by"],
    spec: ProjectSpec,
    more: Partial<PlannedProject> = {},
  ) => {
    const key = `${by}\0${spec.folder}\0${spec.files.join("\0")}\0${spec.envFiles?.join("\0") ?? ""}\0${
      more.native?.name ?? ""
    }`;
    projects.push({
      key,
      spec,
      by,
      variant: null,
      besideCanonical: false,
      native: null,
      namedAt: new Map(),
      ...more,
    });
  };
  const inside = (folder: string, written: string, at: Place): string | null => {
    const path = resolve(root, folder, written);
    if (path === null) {
      findings.push({
        code: "fs/path-escape",
        message: `"${written}" leaves the workspace and is not read`,
        at,
      });
    }
    return path;
  };

  for (const native of natives) {
    const files: string[] = [];
    const namedAt = new Map<string, Place>();
    for (const { written, at } of native.compose) {
      const path = inside(native.folder, written, at);
      if (path === null) continue;
      files.push(path);
      namedAt.set(path, at);
      claimed.add(path);
    }
    const envFiles = native.envFiles?.map(({ written, at }) =>
      inside(native.folder, written, at)
    ).filter((path) => path !== null) ?? null;
    const first = files[0];
    const folder = first === undefined ? native.folder : first.slice(0, Math.max(0, first.lastIndexOf("/")));
    planned("native", { folder, files, envFiles }, { native, namedAt });
  }

  const canonicals = new Map<string, string[]>();
  /** Folders whose `.env` says which files are their project: what lies beside those is a variant, too. */
  const steered = new Set<string>();
  for (const [folder, names] of folders) {
    const named = composeFileOf(envs.get(folder));
    const files: string[] = [];
    if (named) {
      const namedAt = new Map<string, Place>();
      for (const written of named.files) {
        const path = inside(folder, written, named.at);
        if (path === null) continue;
        files.push(path);
        namedAt.set(path, named.at);
        claimed.add(path);
      }
      if (files.length > 0) {
        planned("env", { folder, files, envFiles: null }, { namedAt });
        steered.add(folder);
      }
      continue;
    }
    const present = CANONICAL.filter((name) => names.includes(name));
    const first = present[0];
    if (first === undefined) continue;
    files.push(join(folder, first));
    const override = OVERRIDES.find((name) => names.includes(name));
    if (override) files.push(join(folder, override));
    canonicals.set(folder, files);
    if (present.length > 1) {
      findings.push({
        code: "compose/multiple-defaults",
        message: `Found ${present.join(", ")}, Compose uses ${first}`,
        at: null,
        path: join(folder, first),
      });
    }
  }
  for (const [folder, files] of canonicals) {
    // Claimed by a Group or by COMPOSE_FILE of another folder: theirs.
    if (claimed.has(files[0]!)) continue;
    for (const file of files) claimed.add(file);
    planned("canonical", { folder, files, envFiles: null });
  }
  for (const [folder, names] of folders) {
    for (const name of names) {
      const path = join(folder, name);
      const variant = variantOf(name);
      if (variant === null || claimed.has(path)) continue;
      planned("variant", { folder, files: [path], envFiles: null }, {
        variant,
        besideCanonical: canonicals.has(folder) || steered.has(folder),
      });
    }
  }
  return { projects, findings };
}

function composeFileOf(env: ArtifactFile | undefined): { files: string[]; at: Place } | null {
  const document = env?.documents[0];
  const at = child(document, "COMPOSE_FILE");
  const written = textOf(at);
  if (!written || !at) return null;
  const separator = textOf(child(document, "COMPOSE_PATH_SEPARATOR")) || ":";
  const files = written.split(separator).map((file) => file.trim()).filter((file) =>
    file !== "" && file !== "-"
  );
  return files.length === 0 ? null : { files: files.slice(0, 50), at };
}

/** What a project is called when nobody says: its folder, or the root's name. */
export function folderName(root: string, folder: string): string {
  return folder === "" ? baseName(root) : baseName(folder);
}
