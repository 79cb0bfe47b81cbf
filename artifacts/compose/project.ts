/** Loads one Compose project: variables, `include`, `extends`, overrides. */
import type { ArtifactFile, Finding, Mapping, Node, Place } from "../artifact.ts";
import { interpolateText } from "../env/interpolate.ts";
import { type FileStore, isRefusal } from "../files/file_store.ts";
import { notFoundFinding, outsideFinding } from "../files/findings.ts";
import { baseName, folderOf, resolve } from "../files/paths.ts";
import { entriesOf, oneOrMany, textOf, valueAt, withEntries, writtenOr } from "../yaml/values.ts";
import { Extends } from "./extends.ts";
import { mergeDocuments, mergeNamed, settle } from "./merge.ts";
import { projectName } from "./names.ts";
import { ProjectSources } from "./project_sources.ts";
import { type Environment, environmentOf } from "./variables.ts";

/** Which files make a project. */
export interface ProjectSpec {
  /** Below the root; relative paths start here. */
  readonly folder: string;
  readonly files: readonly string[];
  /** Null: `.env` in the folder, if there is one. */
  readonly envFiles: readonly string[] | null;
}

/** A merged project, before its services are read. */
export interface Project {
  readonly spec: ProjectSpec;
  readonly value: Mapping | null;
  readonly files: readonly ArtifactFile[];
  readonly sources: readonly ArtifactFile[];
  readonly envFiles: readonly ArtifactFile[];
  /** Files with the variables of what is included. */
  readonly includedEnvFiles: readonly ArtifactFile[];
  readonly environment: Environment;
  /** The project's variable of a name as the file at a place sees it. */
  readonly variable: (name: string, at: Place) => string | undefined;
  readonly findings: readonly Finding[];
  readonly incomplete: boolean;
  /** Every path that was read or tried: a change there makes this project outdated. */
  readonly needed: ReadonlySet<string>;
  /** The folders that relative paths of a file start in, if not the project's. */
  readonly bases: ReadonlyMap<ArtifactFile, string>;
  readonly included: readonly { readonly path: string; readonly at: Place }[];
  readonly extended: ReadonlySet<string>;
  /** `name:` of the last file that has one. */
  readonly name: Node | null;
}

const SECTIONS = ["services", "networks", "volumes", "secrets", "configs", "models"];
const INCLUDE_DEPTH = 20;

/** Reads and merges the files of a project. */
export async function loadProject(store: FileStore, spec: ProjectSpec): Promise<Project> {
  return await new Loader(store, spec).load();
}

class Loader {
  readonly #store: FileStore;
  readonly #spec: ProjectSpec;
  readonly #sources: ProjectSources;
  readonly #extends: Extends;
  readonly #included: { path: string; at: Place }[] = [];
  /** Files included so far, so that each is read once however many ways lead to it. */
  readonly #taken = new Set<string>();
  readonly #includedEnvFiles = new Set<ArtifactFile>();
  #name: Node | null = null;

  constructor(store: FileStore, spec: ProjectSpec) {
    this.#store = store;
    this.#spec = spec;
    this.#sources = new ProjectSources(store);
    this.#extends = new Extends(this.#sources);
  }

  async load(): Promise<Project> {
    const spec = this.#spec;
    const envFiles = await this.#envFiles(spec);
    const environment = environmentOf(envFiles);
    const files: ArtifactFile[] = [];
    for (const path of spec.files) {
      const file = await this.#sources.file(path);
      // Reported where the file is named; here only its absence counts.
      if (isRefusal(file)) this.#sources.incomplete = true;
      else {
        files.push(file);
        this.#sources.bases.set(file, spec.folder);
      }
    }
    const variables = this.#withName(environment, files);
    let value = await this.#project(files, spec.folder, variables, spec.files.map((path) => path), 0);
    if (value) {
      const settled = settle(value);
      if (settled.kind === "mapping") value = settled;
    }
    return {
      spec,
      value,
      files,
      sources: [...this.#sources.files],
      envFiles,
      includedEnvFiles: [...this.#includedEnvFiles],
      environment,
      variable: (name, at) => this.#sources.environments.get(at.file)?.get(name) ?? variables.get(name),
      findings: this.#sources.allFindings(),
      incomplete: this.#sources.incomplete,
      needed: this.#sources.needed,
      bases: this.#sources.bases,
      included: this.#included,
      extended: this.#extends.extended,
      name: this.#name,
    };
  }

  async #envFiles(spec: ProjectSpec): Promise<ArtifactFile[]> {
    const paths = spec.envFiles ?? [spec.folder === "" ? ".env" : `${spec.folder}/.env`];
    const files: ArtifactFile[] = [];
    for (const path of paths) {
      this.#sources.needed.add(path);
      const file = await this.#store.get(path, "env");
      if (!isRefusal(file)) files.push(file);
      else if (file.code !== "missing") this.#sources.incomplete = true;
    }
    return files;
  }

  /** Merges files in order, each with its variables, `extends` and `include`. */
  async #project(
    files: readonly ArtifactFile[],
    folder: string,
    environment: Environment,
    stack: readonly string[],
    depth: number,
  ): Promise<Mapping | null> {
    let merged: Mapping | null = null;
    for (const file of files) {
      const read = this.#sources.documents(file, environment);
      if (!read) continue;
      if (depth === 0) this.#name = read.entries.get("name")?.value ?? this.#name;
      const extended = await this.#extends.applied(read, environment);
      merged = merged ? mergeDocuments(merged, extended) : extended;
    }
    const include = merged?.entries.get("include");
    return merged && include
      ? await this.#withIncludes(merged, include.value, folder, environment, stack, depth)
      : merged;
  }

  /** Compose also knows the name of the project by a variable. */
  #withName(environment: Environment, files: readonly ArtifactFile[]): Environment {
    if (environment.get("COMPOSE_PROJECT_NAME")) return environment;
    let name = baseName(this.#spec.folder === "" ? this.#store.root : this.#spec.folder);
    for (const document of files.flatMap((file) => file.documents)) {
      const written = textOf(valueAt(document, "name"));
      if (written) name = interpolateText(written, (variable) => environment.get(variable)).value;
    }
    return new Map([...environment, ["COMPOSE_PROJECT_NAME", projectName(name)]]);
  }

  async #withIncludes(
    document: Mapping,
    include: Node,
    folder: string,
    environment: Environment,
    stack: readonly string[],
    depth: number,
  ): Promise<Mapping> {
    let result = document;
    for (const item of oneOrMany(include)) {
      const value = await this.#include(item, folder, environment, stack, depth);
      if (value) result = this.#beside(result, value);
    }
    return result;
  }

  async #include(
    item: Node,
    folder: string,
    environment: Environment,
    stack: readonly string[],
    depth: number,
  ): Promise<Mapping | null> {
    const paths = item.kind === "mapping" ? oneOrMany(valueAt(item, "path")) : [item];
    const files: ArtifactFile[] = [];
    for (const at of paths) {
      const written = textOf(at);
      if (written === null) {
        this.#sources.incomplete = true;
        continue;
      }
      const path = resolve(this.#store.root, folder, written);
      if (path !== null && stack.includes(path)) {
        const cycle = [...stack.slice(stack.indexOf(path)), path];
        this.#sources.findings.push({
          code: "graph/include-cycle",
          message: `Include cycle: ${cycle.join(" -> ")}`,
          at,
          data: { cycle },
        });
        return null;
      }
      const file = await this.#sources.named(written, folder, at, "ref/include-missing");
      if (!file) continue;
      files.push(file);
      this.#included.push({ path: file.path, at });
    }
    if (files.length === 0) return null;
    if (depth >= INCLUDE_DEPTH) {
      this.#sources.tooDeep(
        `\`include\` goes over ${INCLUDE_DEPTH} levels deep; the rest was not read`,
        item,
      );
      return null;
    }
    const directory = textOf(valueAt(item, "project_directory"));
    const first = files[0]!;
    const inside = directory === null
      ? folderOf(first.path)
      : resolve(this.#store.root, folder, directory) ?? folderOf(first.path);
    const key = [inside, ...files.map((file) => file.path)].join("\0");
    if (this.#taken.has(key)) return null;
    this.#taken.add(key);
    const own = await this.#includeEnvironment(item, folder, inside);
    for (const file of own) this.#includedEnvFiles.add(file);
    const inner = environmentOf(own, environment);
    for (const file of files) if (!this.#sources.bases.has(file)) this.#sources.bases.set(file, inside);
    return await this.#project(
      files,
      inside,
      inner,
      [...stack, ...files.map((file) => file.path)],
      depth + 1,
    );
  }

  async #includeEnvironment(item: Node, folder: string, inside: string): Promise<ArtifactFile[]> {
    const named = item.kind === "mapping" ? valueAt(item, "env_file") : null;
    const files: ArtifactFile[] = [];
    if (named === null) {
      const path = inside === "" ? ".env" : `${inside}/.env`;
      this.#sources.needed.add(path);
      const file = await this.#store.get(path, "env");
      return isRefusal(file) ? [] : [file];
    }
    for (const at of oneOrMany(named)) {
      const written = textOf(at);
      const path = written === null ? null : resolve(this.#store.root, folder, written);
      if (written === null) continue;
      if (path === null) {
        this.#sources.findings.push(outsideFinding(writtenOr(at, written), at));
        continue;
      }
      this.#sources.needed.add(path);
      const file = await this.#store.get(path, "env");
      if (!isRefusal(file)) files.push(file);
      else if (file.code === "missing") {
        this.#sources.findings.push(notFoundFinding("file/env-file-missing", writtenOr(at, written), at));
      }
    }
    return files;
  }

  /** Adds what is included. Where both define a name, the including file wins. */
  #beside(local: Mapping, included: Mapping): Mapping {
    const sections = new Map(local.entries);
    for (const section of SECTIONS) {
      const theirs = included.entries.get(section);
      if (theirs?.value.kind !== "mapping") continue;
      const ours = sections.get(section);
      if (ours?.value.kind !== "mapping") {
        sections.set(section, theirs);
        continue;
      }
      const entries = new Map(ours.value.entries);
      for (const [name, entry] of entriesOf(theirs.value)) {
        const own = entries.get(name);
        if (!own) entries.set(name, entry);
        else if (own.key.file !== entry.key.file || own.key.start !== entry.key.start) {
          this.#sources.findings.push({
            code: "compose/include-conflict",
            message:
              `"${name}" is also defined in "${entry.key.file.path}"; where both say something, this one wins`,
            at: own.key,
            related: [{ message: "Also defined here", at: entry.key }],
            data: { name, section },
          });
          entries.set(name, { key: own.key, value: mergeNamed(section, entry.value, own.value) });
        }
      }
      sections.set(section, { key: ours.key, value: withEntries(ours.value, entries) });
    }
    return withEntries(local, sections);
  }
}
