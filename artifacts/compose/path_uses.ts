/** Looks up the paths that a project names. */

import type { ArtifactFile, Node, PathUse, Resource, Service } from "../artifact.ts";
import { type FileStore, isRefusal } from "../files/file_store.ts";
import { folderOf, isRemote, join, resolve } from "../files/paths.ts";
import { isNull, isUnknown, listOf, oneOrMany, textOf, truthOf, valueAt, writtenOr } from "../yaml/values.ts";
import { contexts } from "./references.ts";

const EXAMPLES = [".example", ".sample", ".dist", ".template"];

/** Returns the file that an option of `security_opt` names; null where it names none. */
function seccompProfile(option: string): string | null {
  const path = /^seccomp(?:=|:(?!.*=))(.+)$/s.exec(option)?.[1] ?? null;
  return path === "unconfined" || path === "builtin" ? null : path;
}

export class PathLookup {
  readonly #store: FileStore;
  readonly #folder: string;
  readonly #bases: ReadonlyMap<ArtifactFile, string>;
  /** Every path looked at. */
  readonly needed = new Set<string>();

  constructor(store: FileStore, folder: string, bases: ReadonlyMap<ArtifactFile, string>) {
    this.#store = store;
    this.#folder = folder;
    this.#bases = bases;
  }

  async ofService(unit: string, value: Node, service: Service): Promise<PathUse[]> {
    const uses: PathUse[] = [];
    const add = async (kind: PathUse["kind"], at: Node | null, required = true) => {
      const use = await this.#use(kind, at, unit, required);
      if (use) uses.push(kind === "env_file" || kind === "label_file" ? await this.#read(use) : use);
    };
    for (const item of oneOrMany(valueAt(value, "security_opt"))) {
      const profile = seccompProfile(textOf(item) ?? "");
      // Beside the project, also where another file says it.
      const use = profile !== null &&
        await this.#at("seccomp", profile, isUnknown(item), item, unit, true, this.#folder);
      if (use) uses.push(await this.#read(use));
    }
    for (const item of oneOrMany(valueAt(value, "env_file"))) {
      if (item.kind !== "mapping") await add("env_file", item);
      else await add("env_file", valueAt(item, "path"), truthOf(valueAt(item, "required")) !== false);
    }
    for (const item of oneOrMany(valueAt(value, "label_file"))) await add("label_file", item);
    await this.#build(unit, value, uses);
    for (const mount of service.mounts) {
      if (mount.type !== "bind" || mount.source === null || mount.invalid !== null) continue;
      const use = await this.#at(
        "bind",
        mount.source,
        mount.unknown,
        mount.sourceAt,
        unit,
        mount.createHostPath,
      );
      uses.push({ ...use, written: mount.shown.source ?? mount.source });
    }
    for (const item of listOf(valueAt(value, "develop", "watch"))) {
      await add("develop", valueAt(item, "path"), false);
    }
    return uses;
  }

  async ofResources(resources: readonly Resource[]): Promise<PathUse[]> {
    const uses: PathUse[] = [];
    for (const resource of resources) {
      if (resource.kind !== "secret" && resource.kind !== "config") continue;
      const use = await this.#use(resource.kind, valueAt(resource.value, "file"), null, true);
      if (use) uses.push(use);
    }
    return uses;
  }

  async #build(unit: string, value: Node, uses: PathUse[]): Promise<void> {
    const build = valueAt(value, "build");
    if (build === null || isNull(build)) return;
    const contextAt = build.kind === "mapping" ? valueAt(build, "context") : build;
    const at = contextAt === null || isNull(contextAt) ? build : contextAt;
    const written = at === build && build.kind === "mapping" ? "." : textOf(at) ?? "";
    const context = await this.#at("build_context", written, isUnknown(at), at, unit, true);
    uses.push(context);
    const dockerfileAt = valueAt(build, "dockerfile");
    const inline = valueAt(build, "dockerfile_inline");
    if (context.found === "folder" && context.path !== null && isNull(inline)) {
      const name = textOf(dockerfileAt) ?? "Dockerfile";
      const unknown = isUnknown(dockerfileAt);
      uses.push(await this.#at("dockerfile", name, unknown, dockerfileAt ?? at, unit, true, context.path));
    }
    for (const [text, contextNode] of contexts(value)) {
      if (/^(?:service|target|docker-image|oci-layout):/.test(text)) continue;
      uses.push(await this.#at("build_context", text, isUnknown(contextNode), contextNode, unit, true));
    }
  }

  async #read(use: PathUse): Promise<PathUse> {
    if (use.path === null || use.found !== "file") return use;
    const file = await this.#store.get(use.path, use.kind === "seccomp" ? "other" : "env");
    return isRefusal(file) ? { ...use, refused: file.why } : { ...use, file };
  }

  async #use(
    kind: PathUse["kind"],
    at: Node | null,
    unit: string | null,
    required: boolean,
  ): Promise<PathUse | null> {
    if (at?.kind !== "scalar" || at.value === null) return null;
    return await this.#at(kind, String(at.value), isUnknown(at), at, unit, required);
  }

  async #at(
    kind: PathUse["kind"],
    written: string,
    unknown: boolean,
    at: PathUse["at"] & { readonly written?: string },
    unit: string | null,
    required: boolean,
    folder = this.#bases.get(at.file) ?? this.#folder,
  ): Promise<PathUse> {
    const base = { kind, written: writtenOr(at, written), folder, required, unit, at, example: false };
    if (unknown) return { ...base, path: null, found: "unknown" };
    if (kind !== "bind" && isRemote(written)) return { ...base, path: null, found: "remote" };
    const path = resolve(this.#store.root, folder, written);
    if (path === null) return { ...base, path: null, found: "outside" };
    this.needed.add(path);
    let found = await this.#store.look(path);
    let example = false;
    if (found === "missing" && kind === "dockerfile" && written === "Dockerfile") {
      // Podman and Buildah take this name, too.
      const other = join(folderOf(path), "Containerfile");
      this.needed.add(other);
      if (await this.#store.look(other) === "file") found = "file";
    }
    if (found === "missing") {
      for (const suffix of EXAMPLES) {
        this.needed.add(path + suffix);
        if (await this.#store.look(path + suffix) === "file") example = true;
      }
    }
    return { ...base, path, found, example };
  }
}
