/** The parsed files of one workspace: each content is parsed once, and unsaved texts replace those on disk. */

import type { ArtifactFile, PathUse } from "../artifact.ts";
import { yieldToEventLoop } from "../event_loop.ts";
import { ParseQueue } from "../yaml/parse_queue.ts";
import { parseFile } from "./parse_file.ts";
import { isAtOrBelow } from "./paths.ts";
import type { ReadText, Refusal, SafeReader } from "./safe_reader.ts";
import { sha256 } from "./sha256.ts";

type FileKind = ArtifactFile["kind"];

interface CachedFile {
  readonly stamp: string | null;
  readonly outcome: ArtifactFile | Refusal;
}

export function isRefusal<T extends object>(outcome: T | Refusal): outcome is Refusal {
  return "why" in outcome;
}

/** The kind of a YAML text, by its `apiVersion` or name; null where it is no artifact. */
function kindOfYaml(path: string, text: string): FileKind | null {
  if (path === "berth.yaml") return "settings";
  const version = /^apiVersion:[ \t]*["']?(berth\/v1|backstage\.io\/)/m.exec(text)?.[1];
  if (version === "berth/v1") return "native";
  if (version) return "backstage";
  return /\.(?:group|unit|card)\.ya?ml$/.test(path) ? "native" : null;
}

const MISSING: Refusal = { code: "missing", why: "it does not exist" };
const NOT_NAMED: Refusal = {
  code: "fs/unreadable",
  severity: "info",
  why: "only an unsaved text names it; save that text, or send this file with it",
};

/** Undefined: decided by the text. */
type WantedKind = FileKind | undefined;

export class FileStore {
  readonly #reader: SafeReader;
  readonly #queue: ParseQueue;
  readonly #cached = new Map<string, CachedFile>();
  readonly #reading = new Map<string, Promise<ArtifactFile | Refusal | null>>();
  readonly #looked = new Map<string, Promise<PathUse["found"]>>();
  readonly #below: FileStore | null;
  readonly #overlay: ReadonlyMap<string, string>;
  /** Paths of YAML that is no artifact, with the stamp it had: not read again. */
  readonly #notArtifacts = new Map<string, string>();
  /** True while the listings of folders are as new as what is read. */
  isJustListed = false;

  constructor(
    reader: SafeReader,
    below: FileStore | null = null,
    overlay: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#reader = reader;
    this.#queue = below ? below.#queue : new ParseQueue();
    this.#below = below;
    this.#overlay = overlay;
  }

  get root(): string {
    return this.#reader.root;
  }

  /** The same folder with unsaved texts over it. What it reads never reaches the store below. */
  over(overlay: ReadonlyMap<string, string>): FileStore {
    return new FileStore(this.#reader, this, overlay);
  }

  /** A file of a known kind. The same object as before while its content is the same. */
  async get(path: string, kind: FileKind): Promise<ArtifactFile | Refusal> {
    // Without "undefined" as kind there is never "no artifact".
    return await this.#once(path, kind) as ArtifactFile | Refusal;
  }

  /** A YAML file that may be anything; null where it is no artifact. */
  async detect(path: string): Promise<ArtifactFile | Refusal | null> {
    return await this.#once(path, undefined);
  }

  /** Looks at a path that an artifact names. */
  look(path: string): Promise<PathUse["found"]> {
    if (this.#overlay.has(path)) return Promise.resolve("file");
    if (this.#below) return this.#below.look(path);
    let looked = this.#looked.get(path);
    if (!looked) this.#looked.set(path, looked = this.#reader.look(path));
    return looked;
  }

  /** Drops what was read of these paths, since it may have changed; `null` drops everything. */
  forget(paths: ReadonlySet<string> | null): void {
    if (paths === null) {
      this.#reading.clear();
      this.#looked.clear();
      return;
    }
    for (const known of this.#looked.keys()) if (isAtOrBelow(known, paths)) this.#looked.delete(known);
    for (const key of this.#reading.keys()) {
      const known = key.slice(0, key.indexOf("\0"));
      if (!isAtOrBelow(known, paths)) continue;
      this.#reading.delete(key);
      // An event says more than a time stamp: two writes within a tick leave the same one.
      const cached = this.#cached.get(key);
      if (cached) this.#cached.set(key, { ...cached, stamp: null });
      this.#notArtifacts.delete(known);
    }
  }

  /**
   * Returns the paths whose time or size changed, and those named by artifacts that were created or removed. For
   * callers that have just listed the folders.
   */
  async outdated(): Promise<Set<string>> {
    const changed = new Set<string>();
    for (const [path, looked] of this.#looked) {
      if (await this.#reader.look(path) !== await looked) changed.add(path);
    }
    for (const [key, cached] of this.#cached) {
      const path = key.slice(0, key.indexOf("\0"));
      const stamp = this.#reader.isListedWithout(path) ? null : await this.#reader.stamp(path);
      if (cached.stamp !== stamp) changed.add(path);
    }
    for (const [path, stamp] of this.#notArtifacts) {
      if (await this.#reader.stamp(path) !== stamp) changed.add(path);
    }
    return changed;
  }

  #once(path: string, kind: WantedKind): Promise<ArtifactFile | Refusal | null> {
    const overlaid = this.#overlay.get(path);
    const key = `${path}\0${kind ?? ""}`;
    if (overlaid === undefined && this.#below) return this.#below.#again(key, path);
    let reading = this.#reading.get(key);
    if (!reading) {
      reading = overlaid === undefined
        ? this.#fromDisk(path, kind, key)
        : this.#fromOverlay(path, kind, overlaid);
      this.#reading.set(key, reading);
    }
    return reading;
  }

  /** For unsaved texts: what the saved files made us read, as what they made us read it, and nothing else. */
  async #again(key: string, path: string): Promise<ArtifactFile | Refusal | null> {
    const read = this.#reading.get(key);
    if (read !== undefined) return await read;
    return await this.look(path) === "missing" ? MISSING : NOT_NAMED;
  }

  async #fromOverlay(path: string, kind: WantedKind, text: string): Promise<ArtifactFile | null> {
    const told = kind ?? kindOfYaml(path, text);
    if (!told) return null;
    const hash = sha256(text);
    const cached = this.#below?.cachedFile(path, kind);
    if (cached && cached.hash === hash && !cached.stale) return cached;
    // Its values point back to it, so it stays the same object.
    return Object.assign(await parseFile({ path, kind: told, text, hash }, this.#queue), {
      unsaved: true as const,
    });
  }

  cachedFile(path: string, kind: WantedKind): ArtifactFile | undefined {
    const outcome = this.#cached.get(`${path}\0${kind ?? ""}`)?.outcome;
    return outcome && !isRefusal(outcome) ? outcome : undefined;
  }

  async #fromDisk(path: string, kind: WantedKind, key: string): Promise<ArtifactFile | Refusal | null> {
    const cached = this.#cached.get(key);
    const stamp = cached || this.#notArtifacts.has(path) ? await this.#reader.stamp(path) : null;
    if (stamp !== null) {
      if (cached?.stamp === stamp) return cached.outcome;
      if (kind === undefined && this.#notArtifacts.get(path) === stamp) return null;
    }
    const read = this.isJustListed && this.#reader.isListedWithout(path)
      ? MISSING
      : await this.#reader.read(path);
    if (isRefusal(read)) {
      this.#cached.set(key, { stamp: null, outcome: read });
      return read;
    }
    const told = kind ?? kindOfYaml(path, read.text);
    if (!told) {
      this.#notArtifacts.set(path, read.stamp);
      this.#cached.delete(key);
      return null;
    }
    const before = cached && !isRefusal(cached.outcome) ? cached.outcome : undefined;
    const file = before?.hash === read.hash && before.kind === told && before.leadsTo === read.leadsTo
      ? before
      : await this.#parsed(path, told, read, before);
    this.#cached.set(key, { stamp: read.stamp, outcome: file });
    return file;
  }

  /** Parses a text; while it cannot be parsed, the documents of the last one that could are used. */
  async #parsed(
    path: string,
    kind: FileKind,
    read: ReadText,
    before: ArtifactFile | undefined,
  ): Promise<ArtifactFile> {
    await yieldToEventLoop();
    const { text, hash, leadsTo } = read;
    const source = { path, kind, text, hash, ...(leadsTo !== undefined && { leadsTo }) };
    const file = await parseFile(source, this.#queue);
    if (file.sound || !before || before.documents.length === 0) return file;
    if (!before.sound && !before.stale) return file;
    return { ...file, documents: before.documents, stale: true };
  }
}
