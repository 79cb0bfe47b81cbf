/**
 * The containers that fit a query, in order, over all engines. What fits on one engine is remembered until one of its
 * rows changes, so that a list over many engines looks at those alone that changed.
 */
import { Lru } from "../../../core/lru.ts";
import type { Link } from "../../../engines/links/link.ts";
import type { ContainerRow } from "../../../engines/rows/container.ts";
import { type ContainerQuery, fits, rowComesBefore, startOf } from "./query.ts";

/** Queries that are remembered for one engine; their results are the rows themselves. */
const MOST_QUERIES = 64;
/** Names of projects and labels that are remembered. */
const MOST_TERMS = 16;
/** Projects and labels of fewer rows are found as fast by looking at each. */
const INDEXED = 64;

/** Rows in order. */
interface Fitting {
  readonly rows: readonly ContainerRow[];
}

/** Cached answers of one engine, valid until one of its rows changes. */
class EngineRows {
  #queries = new Lru<Fitting>(MOST_QUERIES);
  readonly #terms = new Map<string, Map<string, ContainerRow[]>>();
  #version = -1;

  constructor(private readonly link: Link) {}

  fitting(key: string, query: ContainerQuery): Fitting {
    const { version } = this.link.mirror.containers.rows;
    if (this.#version !== version) {
      this.#queries = new Lru(MOST_QUERIES);
      this.#terms.clear();
      this.#version = version;
    }
    const known = this.#queries.get(key);
    if (known !== undefined) return known;
    const rows: ContainerRow[] = [];
    for (const row of this.#candidates(query)) if (fits(row, query)) rows.push(row);
    const made = { rows: rows.sort(rowComesBefore(query)) };
    this.#queries.set(key, made);
    return made;
  }

  /** Returns the rows that may fit: of the query's project, or with its first label, if it names one. */
  #candidates({ project, label }: ContainerQuery): Iterable<ContainerRow> {
    const { rows } = this.link.mirror.containers;
    if (rows.size < INDEXED) return rows.values();
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
    if (this.#terms.size >= MOST_TERMS) this.#terms.clear();
    this.#terms.set(term, index);
    return index;
  }
}

export class OrderedRows {
  readonly #engines = new WeakMap<Link, EngineRows>();

  /** Returns the rows that fit on each engine; a caller with a scope checks each of them again. */
  of(links: readonly Link[], query: ContainerQuery): Fitting[] {
    const key = keyOf(query);
    return links.map((link) => {
      let engine = this.#engines.get(link);
      if (engine === undefined) this.#engines.set(link, engine = new EngineRows(link));
      return engine.fitting(key, query);
    });
  }
}

/** All that decides what fits and its order. */
function keyOf({ limit: _limit, cursor: _cursor, backend: _backend, ...filters }: ContainerQuery): string {
  return JSON.stringify(filters);
}

/** The first `most` rows of several lists in order, from the query's cursor on, and whether more follow. */
export function merged(
  lists: readonly Fitting[],
  query: ContainerQuery,
  most: number,
): { readonly rows: readonly ContainerRow[]; readonly isMore: boolean } {
  const before = rowComesBefore(query);
  const heads: { readonly rows: readonly ContainerRow[]; at: number; row: ContainerRow }[] = [];
  for (const { rows } of lists) {
    const at = startOf(rows, query);
    const row = rows[at];
    if (row !== undefined) heads.push({ rows, at, row });
  }
  const sink = (at: number) => {
    for (;;) {
      let first = at;
      for (let child = 2 * at + 1; child <= 2 * at + 2 && child < heads.length; child += 1) {
        if (before(heads[child]!.row, heads[first]!.row) < 0) first = child;
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
    rows.push(head.row);
    const next = head.rows[head.at += 1];
    if (next !== undefined) head.row = next;
    else {
      const last = heads.pop()!;
      if (heads.length === 0) break;
      heads[0] = last;
    }
    sink(0);
  }
  return { rows, isMore: heads.length > 0 };
}
