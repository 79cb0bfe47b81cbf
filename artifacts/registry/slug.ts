/** Ids of workspaces: short, typable, made of the name. */

/** Lower-case letters, digits and single dashes; accents go, and what is left of nothing is `workspace`. */
export function slugOf(name: string): string {
  const slug = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "").slice(0, 50).replace(/-+$/, "");
  return slug === "" ? "workspace" : slug;
}

/** The slug itself, or with the first free number behind it. */
export function freeSlug(name: string, isTaken: (id: string) => boolean): string {
  const slug = slugOf(name);
  if (!isTaken(slug)) return slug;
  for (let number = 2;; number++) if (!isTaken(`${slug}-${number}`)) return `${slug}-${number}`;
}
