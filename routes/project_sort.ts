/** The orders in which projects are listed. */
import type { ProjectRow } from "./project_rows.ts";

/** By name wherever two are the same. */
const KEYS = ["verdict", "name", "folder", "engine", "running", "differences"] as const;
type Key = typeof KEYS[number];

export const SORTS: readonly [Sort, ...Sort[]] = [
  ...KEYS,
  ...KEYS.map((key) => `-${key}` as const),
] as [Sort, ...Sort[]]; // there are some
type Sort = Key | `-${Key}`;

const VALUE_OF: Record<Exclude<Key, "verdict">, (row: ProjectRow) => string | number> = {
  name: ({ name }) => name,
  folder: ({ workspace, folder }) => workspace === null ? folder ?? "" : `${workspace.name}/${folder ?? ""}`,
  engine: ({ engines }) => engines.join(" "),
  running: ({ running }) => -running,
  differences: ({ differences }) => -differences,
};

/** Returns the rows in another order; they come with the worst first. */
export function sorted(rows: readonly ProjectRow[], sort: Sort): readonly ProjectRow[] {
  const key = sort.replace("-", "") as Key; // SORTS has no other
  const turn = sort.startsWith("-") ? -1 : 1;
  if (key === "verdict") return turn === 1 ? rows : rows.toReversed();
  const valueOf = VALUE_OF[key];
  return rows.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    if (a !== b) return a < b ? -turn : turn;
    return one.name < other.name ? -1 : one.name > other.name ? 1 : one.id < other.id ? -1 : 1;
  });
}
