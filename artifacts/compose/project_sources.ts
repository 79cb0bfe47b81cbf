/** The files of one Compose project as they are read: each once, with its variables, and what is said of them. */
import type { ArtifactFile, Finding, Mapping, Node, Place } from "../artifact.ts";
import { type FileStore, isRefusal } from "../files/file_store.ts";
import { notFoundFinding, outsideFinding } from "../files/findings.ts";
import { isRemote, resolve } from "../files/paths.ts";
import type { Refusal } from "../files/safe_reader.ts";
import { isNull, writtenOr } from "../yaml/values.ts";
import { mergeDocuments } from "./merge.ts";
import { type Environment, Variables } from "./variables.ts";

const SOURCES = 500;

export class ProjectSources {
  readonly findings: Finding[] = [];
  readonly files = new Set<ArtifactFile>();
  /** Every path that was read or tried. */
  readonly needed = new Set<string>();
  /** The folders that relative paths of a file start in, if not the project's. */
  readonly bases = new Map<ArtifactFile, string>();
  /** The variables of each file: those of an included one are its own. */
  readonly environments = new Map<ArtifactFile, Environment>();
  incomplete = false;
  readonly #store: FileStore;
  readonly #variables = new Variables();
  /** Files with their variables put in, by environment: `extends` asks for the same base many times. */
  readonly #read = new Map<Environment, Map<ArtifactFile, Mapping | null>>();

  constructor(store: FileStore) {
    this.#store = store;
  }

  /** All that was found, in what was read and in its variables. */
  allFindings(): Finding[] {
    return [...this.findings, ...this.#variables.findings()];
  }

  async file(path: string): Promise<ArtifactFile | Refusal> {
    this.needed.add(path);
    if (this.files.size >= SOURCES) {
      this.incomplete = true;
      return { code: "fs/limit-reached", why: `over ${SOURCES} files in one project` };
    }
    const file = await this.#store.get(path, "compose");
    if (isRefusal(file)) return file;
    this.files.add(file);
    if (!file.sound || file.stale) this.incomplete = true;
    return file;
  }

  /** All documents of a file as one, with its variables. */
  documents(file: ArtifactFile, environment: Environment): Mapping | null {
    this.environments.set(file, environment);
    let known = this.#read.get(environment);
    if (!known) this.#read.set(environment, known = new Map());
    const before = known.get(file);
    if (before !== undefined) return before;
    let merged: Mapping | null = null;
    for (const document of file.documents) {
      if (isNull(document)) continue;
      if (document.kind !== "mapping") {
        this.findings.push({
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
      this.findings.push({
        code: "yaml/multi-document",
        message: `${file.documents.length} documents in one file: Compose merges them in order`,
        at: file.documents[1]!,
      });
    }
    known.set(file, merged);
    return merged;
  }

  /** The file that a document names; null, with a finding, where it cannot be read. */
  async named(written: string, folder: string, at: Node, missing: string): Promise<ArtifactFile | null> {
    const shown = writtenOr(at, written);
    if (isRemote(written)) {
      this.incomplete = true;
      this.findings.push({
        code: "ref/remote-not-loaded",
        message: `"${shown}" is remote, so it was not read`,
        at,
      });
      return null;
    }
    const path = resolve(this.#store.root, folder, written);
    if (path === null) {
      this.incomplete = true;
      this.findings.push(outsideFinding(shown, at));
      return null;
    }
    const file = await this.file(path);
    if (!isRefusal(file)) return file;
    this.incomplete = true;
    this.findings.push(
      file.code === "missing" ? notFoundFinding(missing, shown, at, { data: { path: shown } }) : {
        code: file.code,
        ...(file.severity !== undefined && { severity: file.severity }),
        message: `Cannot read "${shown}": ${file.why}`,
        at,
      },
    );
    return null;
  }

  tooDeep(message: string, at: Place): void {
    this.incomplete = true;
    this.findings.push({ code: "fs/limit-reached", message, at });
  }
}
