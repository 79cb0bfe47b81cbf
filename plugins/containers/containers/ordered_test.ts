/** Promise: what is remembered, indexed and merged of many engines is what one sort of all their rows would show. */
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import type { Link } from "../../../engines/links/link.ts";
import { Rows } from "../../../engines/mirror/rows.ts";
import type { ContainerRow } from "../../../engines/rows/container.ts";
import { merged, OrderedRows } from "./ordered.ts";
import { comesBefore, type ContainerQuery, cursorBehind, fits, placeOf } from "./query.ts";

function row(backend: string, number: number, seed: number): ContainerRow {
  return {
    id: `${number}`.padStart(4, "0"),
    name: `c-${seed % 7}`,
    image: seed % 3 === 0 ? "nginx:1" : "redis",
    imageId: "sha256:1",
    state: seed % 2 === 0 ? "running" : "exited",
    createdAt: `2026-01-0${seed % 5 + 1}T00:00:00Z`,
    labels: { team: `t${seed % 4}`, ...(seed % 5 === 0 && { empty: "" }) },
    compose: seed % 3 === 0 ? null : { project: `p${seed % 3}`, service: `s${seed % 4}` },
    backend,
  } as unknown as ContainerRow; // as far as a list looks at it
}

/** As far as a list looks at it. */
function engine(
  name: string,
  seeds: readonly number[],
): { readonly link: Link; readonly rows: Rows<ContainerRow> } {
  const rows = new Rows<ContainerRow>();
  seeds.forEach((seed, at) => rows.put(`${at}`, row(name, at, seed)));
  return { link: { name, mirror: { containers: { rows } } } as unknown as Link, rows };
}

const queries: fc.Arbitrary<ContainerQuery> = fc.record({
  state: fc.constantFrom(["running"], ["exited", "running"]),
  q: fc.constantFrom("C-1", "ngin", "s2", "00", "none"),
  label: fc.constantFrom(["team=t1"], ["team"], ["empty="], ["nothing=1"], ["empty", "team=t0"]),
  project: fc.constantFrom("p1", "p2", "p9"),
  sort: fc.constantFrom("created", "name", "state", "image"),
  order: fc.constantFrom("asc", "desc"),
}, { requiredKeys: [] }) as fc.Arbitrary<ContainerQuery>;

Deno.test("pages over many engines, before and after changes, are those of one sorted list", () => {
  fc.assert(fc.property(
    fc.array(fc.array(fc.nat(1_000), { maxLength: 150 }), { maxLength: 5 }),
    fc.array(fc.tuple(fc.nat(4), fc.nat(160), fc.nat(1_000)), { maxLength: 3 }),
    fc.array(queries, { minLength: 1, maxLength: 3 }),
    fc.integer({ min: 1, max: 40 }),
    (seeds, changes, asked, limit) => {
      const engines = seeds.map((one, at) => engine(`e${at}`, one));
      const ordered = new OrderedRows();
      const check = () => {
        for (const query of asked) {
          const all = engines.flatMap(({ rows }) => [...rows.values()]).filter((one) => fits(one, query));
          const before = comesBefore(query);
          const expected = all.map((row) => placeOf(row, query.sort)).sort(before).map(([, id]) => id);
          const seen: string[] = [];
          let cursor: string | undefined;
          do {
            const page = { ...query, ...(cursor === undefined ? {} : { cursor }) };
            const { rows, isMore } = merged(ordered.of(engines.map(({ link }) => link), page), page, limit);
            seen.push(...rows.map(({ id, backend }) => `${id} ${backend}`));
            cursor = isMore ? cursorBehind(rows.at(-1)!, query) : undefined;
          } while (cursor !== undefined);
          assert.deepEqual(seen, expected);
        }
      };
      check();
      for (const [at, key, seed] of changes) {
        const rows = engines[at]?.rows;
        if (seed % 3 === 0) rows?.delete(`${key}`);
        else rows?.put(`${key}`, row(`e${at}`, key, seed));
        check();
      }
    },
  ));
});
