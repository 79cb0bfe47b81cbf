/** The beginning of an image's id, as people know it. */
export function shortOf(id: string): string {
  return id.replace(/^sha256:/, "").slice(0, 12);
}
