/** A file of a workspace in full, as it is shown. */

import { MASK } from "../../core/secrets.ts";
import type { ArtifactFile } from "../artifact.ts";
import type { WorkspaceFileText } from "./file_text_shape.ts";
import { maskedOf } from "./masked_text.ts";

/** The text of a file with its secrets masked, and where; with `reveal` as it is written. */
export function fileText(file: ArtifactFile, reveal = false): WorkspaceFileText {
  const { path, kind, hash, stale } = file;
  const { text, masks } = reveal ? { text: file.text, masks: [] } : maskedOf(file);
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
