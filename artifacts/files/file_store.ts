/** The texts of one workspace: each parsed once per content, with unsaved ones laid over those on disk. */

import type { ArtifactFile, PathUse } from "../artifact.ts";
import { yieldToEventLoop } from "../event_loop.ts";
import { parseFile } from "./parse_file.ts";
import { folderOf } from "./paths.ts";
import { ParseQueue } from "../yaml/parse_queue.ts";
import type { ReadText, Refusal, SafeReader } from "./safe_reader.ts";
import { sha256 } from "./sha256.ts";

type FileKind = ArtifactFile["kind"];

interface Held {
  readonly stamp: string | null;
  readonly outcome: ArtifactFile | Refusal;
}

export function isRefusal<T extends object>(outcome: T | Refusal): outcome is Refusal {
  return "why" in outcome;
}

/** What a text is, told by its beginning: cheap enough for every YAML file of a repository. */
export function kindOfYaml(path: string, text: string): FileKind | null {
  if (path === "berth.yaml") return "settings";
  const version = /^apiVersion:[ \t]*["']?(berth\/v1|backstage\.io\/)/m.exec(text)?.[1];
  if (version === "berth/v1") return "native";
  if (version) return "backstage";
  return /\.(?:group|unit|card)\.ya?ml$/.test(path) ? "native" : null;
}

/** Undefined: to be told by the text, and null where the text is no artifact. */
type WantedKind = FileKind | undefined;

export class FileStore {
  readonly #reader: SafeReader;
  readonly #queue: ParseQueue;
  readonly #held = new Map<string, Held>();
  readonly #reading = new Map<string, Promise<ArtifactFile | Refusal | null>>();
  readonly #looked = new Map<string, Promise<PathUse["found"]>>();
  readonly #below: FileStore | null;
  readonly #overlay: ReadonlyMap<string, string>;
  /** Paths of YAML that is no artifact, with the stamp it had: not read again. */
  readonly #dull = new Map<string, string>();

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

  /** What lies at a path that an artifact names. */
  look(path: string): Promise<PathUse["found"]> {
    if (this.#overlay.has(path)) return Promise.resolve("file");
    if (this.#below) return this.#below.look(path);
    let looked = this.#looked.get(path);
    if (!looked) this.#looked.set(path, looked = this.#reader.look(path));
    return looked;
  }

  /** To be called with every path that may have changed, before it is asked for again; `null` is all of them. */
  forget(paths: ReadonlySet<string> | null): void {
    if (paths === null) {
      this.#reading.clear();
      this.#looked.clear();
      return;
    }
    for (const path of paths) {
      const inside = `${path}/`;
      const isOf = (known: string) => known === path || known.startsWith(inside);
      for (const known of this.#looked.keys()) if (isOf(known)) this.#looked.delete(known);
      for (const key of this.#reading.keys()) {
        const known = key.slice(0, key.indexOf("\0"));
        if (!isOf(known)) continue;
        this.#reading.delete(key);
        // An event says more than a time stamp: two writes within a tick leave the same one.
        const held = this.#held.get(key);
        if (held) this.#held.set(key, { ...held, stamp: null });
        this.#dull.delete(known);
      }
    }
  }

  /** Paths whose file is another one by now, told by time and size; in these folders also what came or went. */
  async outdated(folders: ReadonlySet<string>): Promise<Set<string>> {
    const changed = new Set<string>();
    for (const [path, looked] of this.#looked) {
      if (!folders.has(folderOf(path))) continue;
      if (await this.#reader.look(path) !== await looked) changed.add(path);
    }
    for (const [key, held] of this.#held) {
      const path = key.slice(0, key.indexOf("\0"));
      if (held.stamp !== await this.#reader.stamp(path)) changed.add(path);
    }
    for (const [path, stamp] of this.#dull) if (await this.#reader.stamp(path) !== stamp) changed.add(path);
    return changed;
  }

  #once(path: string, kind: WantedKind): Promise<ArtifactFile | Refusal | null> {
    const overlaid = this.#overlay.get(path);
    if (overlaid === undefined && this.#below) return this.#below.#once(path, kind);
    const key = `${path}\0${kind ?? ""}`;
    let reading = this.#reading.get(key);
    if (!reading) {
      reading = overlaid === undefined
        ? this.#fromDisk(path, kind, key)
        : this.#fromOverlay(path, kind, overlaid);
      this.#reading.set(key, reading);
    }
    return reading;
  }

  async #fromOverlay(path: string, kind: WantedKind, text: string): Promise<ArtifactFile | null> {
    const told = kind ?? kindOfYaml(path, text);
    if (!told) return null;
    const hash = sha256(text);
    const held = this.#below?.heldFile(path, kind);
    if (held && held.hash === hash && !held.stale) return held;
    return await parseFile({ path, kind: told, text, hash }, this.#queue);
  }

  heldFile(path: string, kind: WantedKind): ArtifactFile | undefined {
    const outcome = this.#held.get(`${path}\0${kind ?? ""}`)?.outcome;
    return outcome && !isRefusal(outcome) ? outcome : undefined;
  }

  async #fromDisk(path: string, kind: WantedKind, key: string): Promise<ArtifactFile | Refusal | null> {
    const held = this.#held.get(key);
    const stamp = held || this.#dull.has(path) ? await this.#reader.stamp(path) : null;
    if (stamp !== null) {
      if (held?.stamp === stamp) return held.outcome;
      if (kind === undefined && this.#dull.get(path) === stamp) return null;
    }
    const read = await this.#reader.read(path);
    if (isRefusal(read)) {
      this.#held.set(key, { stamp: null, outcome: read });
      return read;
    }
    const told = kind ?? kindOfYaml(path, read.text);
    if (!told) {
      this.#dull.set(path, read.stamp);
      this.#held.delete(key);
      return null;
    }
    const before = held && !isRefusal(held.outcome) ? held.outcome : undefined;
    const file = before?.hash === read.hash && before.kind === told
      ? before
      : await this.#parsed(path, told, read, before);
    this.#held.set(key, { stamp: read.stamp, outcome: file });
    return file;
  }

  /** The last values that could be read stand in for a text that cannot. */
  async #parsed(
    path: string,
    kind: FileKind,
    read: ReadText,
    before: ArtifactFile | undefined,
  ): Promise<ArtifactFile> {
    await yieldToEventLoop();
    const file = await parseFile({ path, kind, text: read.text, hash: read.hash }, this.#queue);
    if (file.sound || !before || before.documents.length === 0) return file;
    if (!before.sound && !before.stale) return file;
    return { ...file, documents: before.documents, stale: true };
  }
}
