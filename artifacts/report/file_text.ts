/** A file of a workspace in full, as it is shown. */

import { MASK } from "../../core/secrets.ts";
import type { ArtifactFile, Model } from "../artifact.ts";
import type { WorkspaceFileText } from "./file_text_shape.ts";
import { maskedFile } from "./masked_file.ts";

/**
 * The text of a file with its secrets masked, and where; with `reveal` as it is written. `model` is the whole workspace
 * that has it, and null for a text that is not saved.
 */
export function fileText(file: ArtifactFile, model: Model | null, reveal = false): WorkspaceFileText {
  const { path, kind, hash, stale } = file;
  const { text, masks } = reveal ? { text: file.text, masks: [] } : maskedFile(file, model);
  let line = 1;
  let lineStart = 0;
  return {
    path,
    kind,
    sha256: hash,
    stale,
    text,
    masked: masks.map(({ at }) => {
      for (let next; (next = text.indexOf("\n", lineStart)) !== -1 && next < at; line++) lineStart = next + 1;
      const column = at - lineStart + 1;
      return {
        start: { line, column, offset: at },
        end: { line, column: column + MASK.length, offset: at + MASK.length },
      };
    }),
  };
}
