/** The tags by which callers say which text of a file they have read. */
import type { ArtifactFile } from "../artifacts/artifact.ts";
import { ServiceError } from "../core/error.ts";
import { etagOf, tagsToMatch } from "../http/declare/etag.ts";

/** Returns the file as its readers see it, in JSON. */
export async function textOf(file: ArtifactFile, reveal: boolean): Promise<string> {
  const { fileText } = await import("../artifacts/report/file_text.ts");
  return JSON.stringify(fileText(file, reveal));
}

/** Throws `tag_required` without a tag, and gives what throws `file_changed` for a file that has another one. */
export function currentFor(request: Request): (file: ArtifactFile) => Promise<void> {
  const tags = tagsToMatch(request);
  if (tags === null) {
    throw new ServiceError(
      "tag_required",
      "Cannot save the file: send `If-Match` with the `ETag` that it was read with",
    );
  }
  return async (file) => {
    for (const reveal of [false, true]) if (tags.includes(etagOf(await textOf(file, reveal)))) return;
    throw new ServiceError(
      "file_changed",
      "Cannot save the file: it has changed since it was read; read it again and save what you want of both",
    );
  };
}
