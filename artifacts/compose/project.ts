/** Loads one Compose project: variables, `include`, `extends`, overrides. */

import type { ArtifactFile, Entry, Finding, Mapping, Node, Place } from "../artifact.ts";
import { yieldToEventLoop } from "../event_loop.ts";
import { type FileStore, isRefusal } from "../files/file_store.ts";
import { interpolateText } from "../env/interpolate.ts";
import { notFoundFinding, outsideFinding } from "../files/findings.ts";
import { baseName, folderOf, isRemote, resolve } from "../files/paths.ts";
import type { Refusal } from "../files/safe_reader.ts";
import {
  entriesOf,
  isNull,
  isUnknown,
  oneOrMany,
  textOf,
  valueAt,
  withEntries,
  writtenOr,
} from "../yaml/values.ts";
import { projectName } from "./names.ts";
import { mergeDocuments, mergeService, settle } from "./merge.ts";
import { type Environment, environmentOf, Variables } from "./variables.ts";

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

interface Extended {
  readonly node: Node;
  /** The number of services that it extends. */
  readonly depth: number;
}

const SECTIONS = ["services", "networks", "volumes", "secrets", "configs", "models"];
const INCLUDE_DEPTH = 20;
const EXTENDS_DEPTH = 100;
const SOURCES = 500;

/** Reads and merges the files of a project. */
export async function loadProject(store: FileStore, spec: ProjectSpec): Promise<Project> {
  return await new Loader(store, spec).load();
}

class Loader {
  readonly #store: FileStore;
  readonly #spec: ProjectSpec;
  readonly #variables = new Variables();
  readonly #findings: Finding[] = [];
  readonly #sources = new Set<ArtifactFile>();
  readonly #needed = new Set<string>();
  readonly #bases = new Map<ArtifactFile, string>();
  readonly #included: { path: string; at: Place }[] = [];
  readonly #extended = new Set<string>();
  /** Files with their variables put in, by environment: `extends` asks for the same base many times. */
  readonly #read = new Map<Environment, Map<ArtifactFile, Mapping | null>>();
  /** Services with what they extend, and how deep that goes, by the document they stand in. */
  readonly #whole = new Map<Mapping, Map<string, Extended>>();
  /** Files included so far, so that each is read once however many ways lead to it. */
  readonly #taken = new Set<string>();
  /** The variables of each file: those of an included one are its own. */
  readonly #environments = new Map<ArtifactFile, Environment>();
  #incomplete = false;
  #isTooDeep = false;
  #name: Node | null = null;

  constructor(store: FileStore, spec: ProjectSpec) {
    this.#store = store;
    this.#spec = spec;
  }

  async load(): Promise<Project> {
    const spec = this.#spec;
    const envFiles = await this.#envFiles(spec);
    const environment = environmentOf(envFiles);
    const files: ArtifactFile[] = [];
    for (const path of spec.files) {
      const file = await this.#file(path);
      // Reported where the file is named; here only its absence counts.
      if (isRefusal(file)) this.#incomplete = true;
      else {
        files.push(file);
        this.#bases.set(file, spec.folder);
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
      sources: [...this.#sources],
      envFiles,
      environment,
      variable: (name, at) => this.#environments.get(at.file)?.get(name) ?? variables.get(name),
      findings: [...this.#findings, ...this.#variables.findings()],
      incomplete: this.#incomplete,
      needed: this.#needed,
      bases: this.#bases,
      included: this.#included,
      extended: this.#extended,
      name: this.#name,
    };
  }

  async #envFiles(spec: ProjectSpec): Promise<ArtifactFile[]> {
    const paths = spec.envFiles ?? [spec.folder === "" ? ".env" : `${spec.folder}/.env`];
    const files: ArtifactFile[] = [];
    for (const path of paths) {
      this.#needed.add(path);
      const file = await this.#store.get(path, "env");
      if (!isRefusal(file)) files.push(file);
      else if (file.code !== "missing") this.#incomplete = true;
    }
    return files;
  }

  async #file(path: string): Promise<ArtifactFile | Refusal> {
    this.#needed.add(path);
    if (this.#sources.size >= SOURCES) {
      this.#incomplete = true;
      return { code: "fs/limit-reached", why: `over ${SOURCES} files in one project` };
    }
    const file = await this.#store.get(path, "compose");
    if (isRefusal(file)) return file;
    this.#sources.add(file);
    if (!file.sound || file.stale) this.#incomplete = true;
    return file;
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
      const read = this.#documents(file, environment);
      if (!read) continue;
      if (depth === 0) this.#name = read.entries.get("name")?.value ?? this.#name;
      const extended = await this.#withExtends(read, environment);
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

  /** All documents of a file as one, with its variables. */
  #documents(file: ArtifactFile, environment: Environment): Mapping | null {
    this.#environments.set(file, environment);
    let known = this.#read.get(environment);
    if (!known) this.#read.set(environment, known = new Map());
    const before = known.get(file);
    if (before !== undefined) return before;
    let merged: Mapping | null = null;
    for (const document of file.documents) {
      if (isNull(document)) continue;
      if (document.kind !== "mapping") {
        this.#findings.push({
          code: "schema/invalid",
          message: "A Compose file must be a mapping",
          at: document,
        });
        continue;
      }
      const node = this.#variables.interpolate(document, environment);
      if (node.kind === "mapping") merged = merged ? mergeDocuments(merged, node) : node;
    }
    if (file.documents.length > 1) {
      this.#findings.push({
        code: "yaml/multi-document",
        message: `${file.documents.length} documents in one file: Compose merges them in order`,
        at: file.documents[1]!,
      });
    }
    known.set(file, merged);
    return merged;
  }

  async #withExtends(document: Mapping, environment: Environment): Promise<Mapping> {
    const services = document.entries.get("services");
    if (services?.value.kind !== "mapping") return document;
    let entries: Map<string, Entry> | undefined;
    for (const [name, entry] of services.value.entries) {
      if (!valueAt(entry.value, "extends")) continue;
      await yieldToEventLoop();
      const value = (await this.#extend(name, entry, document, environment, [])).node;
      (entries ??= new Map(services.value.entries)).set(name, { key: entry.key, value });
    }
    if (!entries) return document;
    const sections = new Map(document.entries);
    sections.set("services", { key: services.key, value: withEntries(services.value, entries) });
    return withEntries(document, sections);
  }

  async #extend(
    name: string,
    entry: Entry,
    document: Mapping,
    environment: Environment,
    stack: readonly string[],
  ): Promise<Extended> {
    const local = entry.value;
    const extend = valueAt(local, "extends");
    if (extend === null || isNull(extend)) return { node: local, depth: 0 };
    let whole = this.#whole.get(document);
    if (!whole) this.#whole.set(document, whole = new Map());
    const known = whole.get(name);
    if (known) return known;
    const made = await this.#extendFrom(name, entry, extend, document, environment, stack);
    whole.set(name, made);
    return made;
  }

  async #extendFrom(
    name: string,
    entry: Entry,
    extend: Node,
    document: Mapping,
    environment: Environment,
    stack: readonly string[],
  ): Promise<Extended> {
    const local = entry.value;
    const alone: Extended = { node: local, depth: 0 };
    const baseAt = extend.kind === "mapping" ? valueAt(extend, "service") : extend;
    const base = textOf(baseAt);
    const fileAt = extend.kind === "mapping" ? valueAt(extend, "file") : null;
    if (base === null || baseAt === null || isUnknown(fileAt)) {
      this.#incomplete = true;
      return alone;
    }
    const step = `${entry.key.file.path}#${name}`;
    if (stack.includes(step)) {
      const cycle = [...stack.slice(stack.indexOf(step)), step];
      this.#findings.push({
        code: "graph/extends-cycle",
        message: `Extends cycle: ${cycle.map((one) => one.slice(one.indexOf("#") + 1)).join(" -> ")}`,
        at: baseAt,
        data: { cycle },
      });
      return alone;
    }
    if (stack.length >= EXTENDS_DEPTH) return this.#extendsTooDeep(local, baseAt);
    let from = document;
    const written = textOf(fileAt);
    if (written !== null && fileAt) {
      const other = await this.#extendsFile(written, fileAt, environment);
      if (!other) return alone;
      from = other;
    }
    const services = from.entries.get("services")?.value;
    const found = services?.kind === "mapping" ? services.entries.get(base) : undefined;
    if (!found) {
      this.#findings.push({
        code: "ref/extends-missing",
        message: `Service "${writtenOr(baseAt, base)}" does not exist${
          written === null ? "" : ` in "${writtenOr(fileAt, written)}"`
        }`,
        at: baseAt,
        data: { service: writtenOr(baseAt, base) },
      });
      this.#incomplete = true;
      return alone;
    }
    const under = await this.#extend(base, found, from, environment, [...stack, step]);
    // Written the other way round, each service has what it extends already.
    if (under.depth >= EXTENDS_DEPTH) return this.#extendsTooDeep(local, baseAt);
    if (isNull(under.node)) return { node: local, depth: under.depth + 1 };
    // Resets and overrides of the base belong to its own file.
    return {
      node: retagged(mergeService(settle(under.node), local), local),
      depth: under.depth + 1,
    };
  }

  /** Told once, where it begins. What extends this one is too deep as well. */
  #extendsTooDeep(local: Node, at: Place): Extended {
    if (!this.#isTooDeep) {
      this.#tooDeep(`\`extends\` goes over ${EXTENDS_DEPTH} levels deep; the rest was not followed`, at);
    }
    this.#isTooDeep = true;
    return { node: local, depth: EXTENDS_DEPTH };
  }

  async #extendsFile(written: string, at: Node, environment: Environment): Promise<Mapping | null> {
    const base = this.#bases.get(at.file) ?? folderOf(at.file.path);
    const file = await this.#named(written, base, at, "ref/extends-missing");
    if (!file) return null;
    this.#extended.add(file.path);
    if (!this.#bases.has(file)) this.#bases.set(file, folderOf(file.path));
    return this.#documents(file, environment);
  }

  /** The file that a document names; null, with a finding, where it cannot be read. */
  async #named(written: string, folder: string, at: Node, missing: string): Promise<ArtifactFile | null> {
    const shown = writtenOr(at, written);
    if (isRemote(written)) {
      this.#incomplete = true;
      this.#findings.push({
        code: "ref/remote-not-loaded",
        message: `"${shown}" is remote, so it was not read`,
        at,
      });
      return null;
    }
    const path = resolve(this.#store.root, folder, written);
    if (path === null) {
      this.#incomplete = true;
      this.#findings.push(outsideFinding(shown, at));
      return null;
    }
    const file = await this.#file(path);
    if (!isRefusal(file)) return file;
    this.#incomplete = true;
    this.#findings.push(
      file.code === "missing" ? notFoundFinding(missing, shown, at, { data: { path: shown } }) : {
        code: file.code,
        ...(file.severity !== undefined && { severity: file.severity }),
        message: `Cannot read "${shown}": ${file.why}`,
        at,
      },
    );
    return null;
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
        this.#incomplete = true;
        continue;
      }
      const path = resolve(this.#store.root, folder, written);
      if (path !== null && stack.includes(path)) {
        const cycle = [...stack.slice(stack.indexOf(path)), path];
        this.#findings.push({
          code: "graph/include-cycle",
          message: `Include cycle: ${cycle.join(" -> ")}`,
          at,
          data: { cycle },
        });
        return null;
      }
      const file = await this.#named(written, folder, at, "ref/include-missing");
      if (!file) continue;
      files.push(file);
      this.#included.push({ path: file.path, at });
    }
    if (files.length === 0) return null;
    if (depth >= INCLUDE_DEPTH) {
      this.#tooDeep(`\`include\` goes over ${INCLUDE_DEPTH} levels deep; the rest was not read`, item);
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
    const inner = environmentOf(own, environment);
    for (const file of files) if (!this.#bases.has(file)) this.#bases.set(file, inside);
    return await this.#project(
      files,
      inside,
      inner,
      [...stack, ...files.map((file) => file.path)],
      depth + 1,
    );
  }

  #tooDeep(message: string, at: Place): void {
    this.#incomplete = true;
    this.#findings.push({ code: "fs/limit-reached", message, at });
  }

  async #includeEnvironment(item: Node, folder: string, inside: string): Promise<ArtifactFile[]> {
    const named = item.kind === "mapping" ? valueAt(item, "env_file") : null;
    const files: ArtifactFile[] = [];
    if (named === null) {
      const path = inside === "" ? ".env" : `${inside}/.env`;
      this.#needed.add(path);
      const file = await this.#store.get(path, "env");
      return isRefusal(file) ? [] : [file];
    }
    for (const at of oneOrMany(named)) {
      const written = textOf(at);
      const path = written === null ? null : resolve(this.#store.root, folder, written);
      if (written === null) continue;
      if (path === null) {
        this.#findings.push(outsideFinding(writtenOr(at, written), at));
        continue;
      }
      this.#needed.add(path);
      const file = await this.#store.get(path, "env");
      if (!isRefusal(file)) files.push(file);
      else if (file.code === "missing") {
        this.#findings.push(notFoundFinding("file/env-file-missing", writtenOr(at, written), at));
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
          this.#findings.push({
            code: "compose/include-conflict",
            message: `"${name}" is also defined in "${entry.key.file.path}"; this one wins`,
            at: own.key,
            related: [{ message: "Also defined here", at: entry.key }],
            data: { name, section },
          });
          entries.set(name, { key: own.key, value: mergeConflict(section, entry.value, own.value) });
        }
      }
      sections.set(section, { key: ours.key, value: withEntries(ours.value, entries) });
    }
    return withEntries(local, sections);
  }
}

/** Keeps a service's resets and overrides for the files before, not only for what it extends. */
function retagged(merged: Node, local: Node): Node {
  if (merged.kind !== "mapping" || local.kind !== "mapping") return merged;
  const entries = new Map(merged.entries);
  for (const [key, entry] of local.entries) {
    const { tag } = entry.value;
    if (tag === "!reset") entries.set(key, entry);
    const value = merged.entries.get(key)?.value;
    if (tag === "!override" && value) entries.set(key, { key: entry.key, value: { ...value, tag } });
  }
  return withEntries(merged, entries);
}

function mergeConflict(section: string, theirs: Node, ours: Node): Node {
  return section === "services" && theirs.kind === "mapping" ? mergeService(theirs, ours) : ours;
}
