/** Decides which files form which projects, before any is loaded. */

import type { ArtifactFile, Finding, Place } from "../artifact.ts";
import type { ProjectSpec } from "../compose/project.ts";
import { outsideFinding } from "../files/findings.ts";
import { baseName, folderOf, join, resolve } from "../files/paths.ts";
import type { NativeGroup } from "../native/documents.ts";
import { textOf, valueAt } from "../yaml/values.ts";
import { CANONICAL, OVERRIDES, variantOf } from "./discover.ts";

interface Plan {
  readonly projects: PlannedProject[];
  readonly findings: Finding[];
}

export interface PlannedProject {
  /** Stays the same while the project has the same files. */
  readonly key: string;
  readonly spec: ProjectSpec;
  readonly by: "canonical" | "env" | "native" | "variant";
  /** `prod` of `compose.prod.yaml`. */
  readonly variant: string | null;
  /** A variant beside a canonical file is only checked; without one it is a project of its own. */
  readonly besideCanonical: boolean;
  readonly native: NativeGroup | null;
  /** The place where each file is named, if not by its own name. */
  readonly namedAt: ReadonlyMap<string, Place>;
}

/** The projects of a workspace. `folders` holds the names of the files in them, `envs` the `.env` of a folder. */
export function plan(
  root: string,
  folders: ReadonlyMap<string, readonly string[]>,
  envs: ReadonlyMap<string, ArtifactFile>,
  natives: readonly NativeGroup[],
): Plan {
  const planner = new Planner(root);
  for (const native of natives) planner.native(native);
  const canonicals = new Map<string, readonly string[]>();
  /** Folders whose `.env` names the files of their project: other Compose files there are variants. */
  const withComposeFile = new Set<string>();
  for (const [folder, names] of folders) {
    const named = composeFileOf(envs.get(folder));
    if (named) {
      if (planner.named(folder, named)) withComposeFile.add(folder);
      continue;
    }
    const files = planner.defaultFiles(folder, names);
    if (files) canonicals.set(folder, files);
  }
  for (const [folder, files] of canonicals) planner.canonical(folder, files);
  for (const [folder, names] of folders) {
    planner.variants(folder, names, canonicals.has(folder) || withComposeFile.has(folder));
  }
  return { projects: planner.projects, findings: planner.findings };
}

class Planner {
  readonly projects: PlannedProject[] = [];
  readonly findings: Finding[] = [];
  readonly #root: string;
  /** Files that are part of a project already. */
  readonly #claimed = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** The files of a `kind: Group`. */
  native(native: NativeGroup): void {
    const { files, namedAt } = this.#claim(native.folder, native.compose);
    const envFiles = native.envFiles?.map(({ written, at }) => this.#inside(native.folder, written, at))
      .filter((path) => path !== null) ?? null;
    const first = files[0];
    const folder = first === undefined ? native.folder : folderOf(first);
    this.#plan("native", { folder, files, envFiles }, { native, namedAt });
  }

  /** The files that `COMPOSE_FILE` names; false where all of them lie outside. */
  named(folder: string, { files: written, at }: { files: readonly string[]; at: Place }): boolean {
    const { files, namedAt } = this.#claim(folder, written.map((written) => ({ written, at })));
    if (files.length > 0) this.#plan("env", { folder, files, envFiles: null }, { namedAt });
    return files.length > 0;
  }

  /** The files that Compose uses in a folder by default; null where there are none. */
  defaultFiles(folder: string, names: readonly string[]): readonly string[] | null {
    const present = CANONICAL.filter((name) => names.includes(name));
    const first = present[0];
    if (first === undefined) return null;
    if (present.length > 1) {
      this.findings.push({
        code: "compose/multiple-defaults",
        message: `Found ${present.join(", ")}; Compose uses ${first}`,
        at: null,
        path: join(folder, first),
      });
    }
    const override = OVERRIDES.find((name) => names.includes(name));
    return override === undefined ? [join(folder, first)] : [join(folder, first), join(folder, override)];
  }

  /** A project of default files, unless a Group or the COMPOSE_FILE of another folder has them. */
  canonical(folder: string, files: readonly string[]): void {
    if (this.#claimed.has(files[0]!)) return; // there is one at least
    for (const file of files) this.#claimed.add(file);
    this.#plan("canonical", { folder, files, envFiles: null });
  }

  /** A project for each Compose file of a folder that no other project has. */
  variants(folder: string, names: readonly string[], besideCanonical: boolean): void {
    for (const name of names) {
      const path = join(folder, name);
      const variant = variantOf(name);
      if (variant === null || this.#claimed.has(path)) continue;
      this.#plan("variant", { folder, files: [path], envFiles: null }, { variant, besideCanonical });
    }
  }

  #claim(folder: string, named: readonly { readonly written: string; readonly at: Place }[]) {
    const files: string[] = [];
    const namedAt = new Map<string, Place>();
    for (const { written, at } of named) {
      const path = this.#inside(folder, written, at);
      if (path === null) continue;
      files.push(path);
      namedAt.set(path, at);
      this.#claimed.add(path);
    }
    return { files, namedAt };
  }

  #inside(folder: string, written: string, at: Place): string | null {
    const path = resolve(this.#root, folder, written);
    if (path === null) this.findings.push(outsideFinding(written, at));
    return path;
  }

  #plan(by: PlannedProject["by"], spec: ProjectSpec, more: Partial<PlannedProject> = {}): void {
    const files = spec.files.join("\0");
    const key = [by, spec.folder, files, spec.envFiles?.join("\0") ?? "", more.native?.name ?? ""].join("\0");
    this.projects.push({
      key,
      spec,
      by,
      variant: null,
      besideCanonical: false,
      native: null,
      namedAt: new Map(),
      ...more,
    });
  }
}

function composeFileOf(env: ArtifactFile | undefined): { files: string[]; at: Place } | null {
  const document = env?.documents[0];
  const at = valueAt(document, "COMPOSE_FILE");
  const written = textOf(at);
  if (!written || !at) return null;
  const separator = textOf(valueAt(document, "COMPOSE_PATH_SEPARATOR")) || ":";
  const files = written.split(separator).map((file) => file.trim()).filter((file) =>
    file !== "" && file !== "-"
  );
  return files.length === 0 ? null : { files: files.slice(0, 50), at };
}

/** The default name of a project: that of its folder, or of the root. */
export function folderName(root: string, folder: string): string {
  return folder === "" ? baseName(root) : baseName(folder);
}
