/**
 * The containers that fit a query, in order, over all engines. What fits on one engine is remembered until one of its
 * rows changes, so that a list over many engines looks at those alone that changed.
 */
import { Lru } from "../../../core/lru.ts";
import type { Link } from "../backends/link.ts";
import type { ContainerRow } from "../rows/container.ts";
import { comesBefore, type ContainerQuery, fits, type Place, placeOf, startOf } from "./query.ts";

/** How many queries are remembered for one engine. */
const MOST = 16;
/** Projects and labels of fewer rows are found as fast by looking at each. */
const INDEXED = 64;

/** Rows in order. */
export interface Fitting {
  readonly rows: readonly ContainerRow[];
}

interface Known extends Fitting {
  readonly version: number;
}

/** What is remembered of one engine. */
class EngineRows {
  readonly #queries = new Lru<Known>(MOST);
  readonly #terms = new Map<string, Map<string, ContainerRow[]>>();
  #version = -1;

  constructor(private readonly link: Link) {}

  fitting(key: string, query: ContainerQuery): Fitting {
    const { rows } = this.link.mirror.containers;
    const known = this.#queries.get(key);
    if (known?.version === rows.version) return known;
    const fitting: ContainerRow[] = [];
    for (const row of this.#candidates(query)) if (fits(row, query)) fitting.push(row);
    const made = { version: rows.version, rows: sorted(fitting, query) };
    this.#queries.set(key, made);
    return made;
  }

  /** Those that may fit: of its project, or with its first label, if it asks for one. */
  #candidates({ project, label }: ContainerQuery): Iterable<ContainerRow> {
    const { rows } = this.link.mirror.containers;
    if (rows.size < INDEXED) return rows.values();
    if (this.#version !== rows.version) {
      this.#terms.clear();
      this.#version = rows.version;
    }
    if (project !== undefined) {
      return this.#byTerm("project", (row) => row.compose?.project).get(project) ?? [];
    }
    const [name, value] = /^([^=]+)=(.*)$/s.exec(label?.[0] ?? "")?.slice(1) ?? [];
    if (name === undefined || value === undefined) return rows.values();
    const labelled = (row: ContainerRow) => Object.hasOwn(row.labels, name) ? row.labels[name] : undefined;
    return this.#byTerm(`label ${name}`, labelled).get(value) ?? [];
  }

  #byTerm(term: string, valueOf: (row: ContainerRow) => string | undefined): Map<string, ContainerRow[]> {
    let index = this.#terms.get(term);
    if (index !== undefined) return index;
    index = new Map();
    for (const row of this.link.mirror.containers.rows.values()) {
      const value = valueOf(row);
      if (value === undefined) continue;
      const found = index.get(value);
      if (found === undefined) index.set(value, [row]);
      else found.push(row);
    }
    if (this.#terms.size >= MOST) this.#terms.clear();
    this.#terms.set(term, index);
    return index;
  }
}

export class OrderedRows {
  readonly #engines = new WeakMap<Link, EngineRows>();

  /** What fits on one engine; the caller sees all of it or asks again for each row. */
  of(link: Link, query: ContainerQuery): Fitting {
    let engine = this.#engines.get(link);
    if (engine === undefined) this.#engines.set(link, engine = new EngineRows(link));
    return engine.fitting(keyOf(query), query);
  }
}

/** All that decides what fits and its order. */
function keyOf({ limit: _limit, cursor: _cursor, backend: _backend, ...filters }: ContainerQuery): string {
  return JSON.stringify(filters);
}

export function sorted(rows: ContainerRow[], query: ContainerQuery): ContainerRow[] {
  const before = comesBefore(query);
  return rows.map((row) => ({ row, place: placeOf(row, query.sort) }))
    .sort((one, other) => before(one.place, other.place))
    .map(({ row }) => row);
}

/** The first `most` rows of several lists in order, from the query's cursor on, and whether more follow. */
export function merged(
  lists: readonly Fitting[],
  query: ContainerQuery,
  most: number,
): { readonly rows: readonly ContainerRow[]; readonly isMore: boolean } {
  const before = comesBefore(query);
  const heads: { readonly rows: readonly ContainerRow[]; at: number; place: Place }[] = [];
  for (const { rows } of lists) {
    const at = startOf(rows, query);
    if (at < rows.length) heads.push({ rows, at, place: placeOf(rows[at]!, query.sort) });
  }
  const sink = (at: number) => {
    for (;;) {
      let first = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heads.length && before(heads[child]!.place, heads[first]!.place) < 0) first = child;
      }
      if (first === at) return;
      [heads[at], heads[first]] = [heads[first]!, heads[at]!];
      at = first;
    }
  };
  for (let at = heads.length >> 1; at >= 0; at -= 1) sink(at);
  const rows: ContainerRow[] = [];
  while (heads.length > 0 && rows.length < most) {
    const head = heads[0]!;
    rows.push(head.rows[head.at]!);
    head.at += 1;
    if (head.at < head.rows.length) head.place = placeOf(head.rows[head.at]!, query.sort);
    else {
      const last = heads.pop()!;
      if (heads.length === 0) break;
      heads[0] = last;
    }
    sink(0);
  }
  return { rows, isMore: heads.some(({ rows, at }) => at < rows.length) };
}
