/** Names as Docker takes them. */

/** Lower-cased, only `[a-z0-9_-]`, no leading sign: the name Docker gives a project. */
export function projectName(written: string): string {
  return written.toLowerCase().replace(/[^a-z0-9_-]/g, "").replace(/^[_-]+/, "");
}
