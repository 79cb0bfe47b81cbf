/** Files that are written to: with their secrets put back, and with the texts they had before kept. */

import { ServiceError } from "../../core/error.ts";
import type { FileVersion, FileVersionStore } from "../../core/store.ts";
import type { TextSeal } from "../../core/text_seal.ts";
import type { ArtifactFile, Model } from "../artifact.ts";
import type { Registry } from "./registry.ts";
import type { ReadFile } from "./snapshot.ts";

interface FileEditorOptions {
  readonly registry: Pick<Registry, "edit" | "parsed">;
  readonly versions: FileVersionStore;
  readonly seal: TextSeal;
  readonly now: () => number;
}

/** The file to write, the person, and the text that they read. */
interface Writing {
  readonly workspace: string;
  readonly path: string;
  readonly by: FileVersion["by"];
  /** Throws where the file is not the one that was read. */
  readonly mustBeCurrent: (file: ArtifactFile, model: Model) => Promise<void>;
}

const BOUNDS = { most: 20, mostBytes: 64 * 1024 * 1024 };

export class FileEditor {
  readonly #options: FileEditorOptions;

  constructor(options: FileEditorOptions) {
    this.#options = options;
  }

  /**
   * Saves an edited text. Throws `mask_moved` where a mask in it is not in its place, and what `Registry.edit` does.
   */
  async save(writing: Writing, edited: string): Promise<ArtifactFile> {
    const { putBack } = await import("../report/put_back.ts");
    return await this.#write(writing, async (read) => {
      const back = await putBack(read, edited);
      if ("text" in back) return back.text;
      if ("unread" in back) {
        throw new ServiceError(
          "file_not_written",
          `Cannot save the file: ${back.unread}; make it shorter, or try again when this machine is less busy`,
        );
      }
      if ("broken" in back) {
        throw new ServiceError(
          "mask_moved",
          `Cannot save the file: masked values are not put into a text with errors (line ${back.line}: ${back.broken}); ` +
            "mend it, write the values themselves, or read the file with `reveal`",
        );
      }
      if ("repeated" in back) {
        throw new ServiceError(
          "mask_moved",
          `Cannot save the file: a new alias repeats the masked value of "&${back.repeated}" in line ${back.line}; ` +
            "remove the alias, write the value itself, or read the file with `reveal`",
        );
      }
      throw new ServiceError(
        "mask_moved",
        `Cannot save the file: the masked value in line ${back.line} is not where it was; put it back there, write ` +
          "the value itself, or read the file with `reveal`",
      );
    });
  }

  /** Saves a whole text with its secrets, made out of the one that is there. Throws what `Registry.edit` does. */
  async put(writing: Writing, text: string): Promise<ArtifactFile> {
    return await this.#write(writing, () => Promise.resolve(text));
  }

  /** The earlier texts of a file, the newest first. */
  async versions(workspace: string, path: string): Promise<FileVersion[]> {
    return await this.#options.versions.list(workspace, path);
  }

  /** An earlier text, read as the file was. Throws `file_version_not_found`. */
  async version(workspace: string, id: number): Promise<{ version: FileVersion; file: ArtifactFile }> {
    const { version, text } = await this.#opened(workspace, id);
    const kind = version.kind as ArtifactFile["kind"]; // it was stored as one
    return { version, file: await this.#options.registry.parsed(workspace, version.path, kind, text) };
  }

  /** Puts an earlier text back in place of the file. Throws `file_version_not_found`, and what `Registry.edit` does. */
  async restore(writing: Omit<Writing, "path">, id: number): Promise<ArtifactFile> {
    const { version: { path }, text } = await this.#opened(writing.workspace, id);
    return await this.#write({ ...writing, path }, () => Promise.resolve(text));
  }

  /** Keeps a text that is about to be replaced by something else than an edit. */
  async keep(of: Pick<FileVersion, "workspace" | "path" | "by" | "kind">, text: string): Promise<void> {
    await this.#remember(of, text);
  }

  async #opened(workspace: string, id: number): Promise<{ version: FileVersion; text: string }> {
    const found = await this.#options.versions.get(workspace, id);
    if (found === null) {
      throw new ServiceError(
        "file_version_not_found",
        "No earlier text of a file has this id in this workspace",
      );
    }
    const text = await this.#options.seal.open(found.sealed, placeOf(found));
    if (text === null) {
      throw new ServiceError(
        "file_version_not_found",
        "Cannot read the earlier text: it was sealed with another key than this data folder has now",
      );
    }
    const { sealed: _, ...version } = found;
    return { version, text };
  }

  async #write(
    { workspace, path, by, mustBeCurrent }: Writing,
    textOf: (read: ReadFile) => Promise<string>,
  ): Promise<ArtifactFile> {
    let kind: ArtifactFile["kind"] = "compose";
    let before = "";
    const remember = (text: string) => this.#remember({ workspace, path, by, kind }, text);
    const { file, replaced } = await this.#options.registry.edit(workspace, path, async (read) => {
      await mustBeCurrent(read.file, read.model);
      const text = await textOf(read);
      ({ kind, text: before } = read.file);
      if (text !== before) await remember(before); // first: what cannot be kept is not replaced
      return text;
    });
    // Somebody wrote into it at the last moment.
    if (replaced !== before) await remember(replaced);
    return file;
  }

  async #remember(of: Pick<FileVersion, "workspace" | "path" | "by" | "kind">, text: string): Promise<void> {
    const { versions, seal, now } = this.#options;
    const { sha256 } = await import("../files/sha256.ts");
    const hash = sha256(text);
    await versions.add({
      ...of,
      at: now(),
      sha256: hash,
      size: new TextEncoder().encode(text).length,
      sealed: await seal.seal(text, placeOf({ ...of, sha256: hash })),
    }, BOUNDS);
  }
}

function placeOf({ workspace, path, sha256 }: Pick<FileVersion, "workspace" | "path" | "sha256">): string {
  return `${workspace}/${path}/${sha256}`;
}
