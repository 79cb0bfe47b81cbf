/** The tags by which callers say which text of a file they have read. */
import type { ArtifactFile, Model } from "../artifacts/artifact.ts";
import { ServiceError } from "../core/error.ts";
import { etagOf, tagsToMatch } from "../http/declare/etag.ts";

/** Returns the file of a workspace as its readers see it, in JSON. */
export async function textOf(file: ArtifactFile, model: Model | null, reveal: boolean): Promise<string> {
  const { fileText } = await import("../artifacts/report/file_text.ts");
  return JSON.stringify(fileText(file, model, reveal));
}

/**
 * Throws `tag_required` without a tag, and gives what throws `file_changed` for a file that has another one, also
 * where it is only masked otherwise by now.
 */
export function currentFor(request: Request): (file: ArtifactFile, model: Model) => Promise<void> {
  const tags = tagsToMatch(request);
  if (tags === null) {
    throw new ServiceError(
      "tag_required",
      "Cannot save the file: send `If-Match` with the `ETag` that it was read with",
    );
  }
  return async (file, model) => {
    for (const reveal of [false, true]) if (tags.includes(etagOf(await textOf(file, model, reveal)))) return;
    throw new ServiceError(
      "file_changed",
      "Cannot save the file: it has changed since it was read; read it again and save what you want of both",
    );
  };
}
