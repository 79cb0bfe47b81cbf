/** Groups whose files could not be read whole: what runs can only be compared with a part of what was written. */

import type { Finding, Group } from "../../artifacts/artifact.ts";
import { locationOf } from "../../artifacts/position.ts";

/** Returns the first error of a file that could not be read; undefined where only a file that it names is missing. */
export function unreadError({ sources }: Group): Finding | undefined {
  return sources.filter(({ sound }) => !sound).flatMap(({ findings }) => findings)[0];
}

/** Returns why a group cannot be compared whole, with the file and line; null where all of it was read. */
export function unreadReason(group: Group): string | null {
  if (!group.incomplete) return null;
  const error = unreadError(group);
  const { file, range } = locationOf(error?.at ?? group.source);
  const why = error === undefined ? "a file that it names cannot be read" : error.message;
  return `${file}:${range.start.line} cannot be read whole: ${why}`;
}
