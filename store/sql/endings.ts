/** Endings of containers, with their sealed words. */
import type { EndingQuery, EndingRecord, EndingStore } from "../../core/endings.ts";
import { all, get, run, type Sql, type Steps } from "./steps.ts";

interface Row extends Omit<EndingRecord, "outOfMemory"> {
  readonly outOfMemory: number;
}

const COLUMNS =
  'id, at, engine, container_id AS "containerId", container, workspace, group_name AS "group", unit, ' +
  'started_from AS "startedFrom", project, ' +
  'exit_code AS "exitCode", out_of_memory AS "outOfMemory", words, more';

export function sqlEndings(sql: Sql): EndingStore {
  return {
    add: (ending, sealed) => sql.write(() => add(ending, sealed)),
    count: (more) =>
      sql.write(function* () {
        for (const { id, by } of more) {
          yield* run("UPDATE endings SET more = more + $2 WHERE id = $1", id, by);
        }
      }),
    list: async (query) => (await sql.read(() => matching(query))).map(endingFrom),
    get: async (id) => {
      const row = await sql.read(() =>
        get<Row & { readonly sealed: Uint8Array | null }>(
          `SELECT ${COLUMNS}, sealed FROM endings WHERE id = $1`,
          id,
        )
      );
      if (row === undefined) return null;
      const { sealed, ...ending } = row;
      return { ending: endingFrom(ending), sealed };
    },
    forget: (before, most, mostBytes) => sql.write(() => forget(before, most, mostBytes)),
  };
}

const endingFrom = (row: Row): EndingRecord => ({ ...row, outOfMemory: row.outOfMemory === 1 });

function* add(ending: EndingRecord, sealed: Uint8Array | null): Steps<void> {
  const { id, at, engine, containerId, container, workspace, group, unit, startedFrom, project } = ending;
  yield* run(
    "INSERT INTO endings (id, at, engine, container_id, container, workspace, group_name, unit, started_from, project, " +
      "exit_code, out_of_memory, words, more, bytes, sealed) VALUES ($1, $2, $3, $4, $5, " +
      "(SELECT id FROM workspaces WHERE id = $6), $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING",
    id,
    at,
    engine,
    containerId,
    container,
    workspace,
    group,
    unit,
    startedFrom,
    project,
    ending.exitCode,
    ending.outOfMemory ? 1 : 0,
    ending.words,
    ending.more,
    sealed?.byteLength ?? 0,
    sealed,
  );
}

function* matching(
  { workspace, unit, container, engine, from, to, before, limit }: EndingQuery,
): Steps<Row[]> {
  return yield* all<Row>(
    `SELECT ${COLUMNS} FROM endings WHERE ($1::text IS NULL OR workspace = $1) AND ($2::text IS NULL OR unit = $2) ` +
      "AND ($3::text IS NULL OR container = $3 OR container_id = $3) AND ($4::text IS NULL OR engine = $4) " +
      "AND ($5::bigint IS NULL OR at >= $5) AND ($6::bigint IS NULL OR at <= $6) " +
      "AND ($7::bigint IS NULL OR (at, id) < ($7::bigint, $8::text)) ORDER BY at DESC, id DESC LIMIT $9",
    workspace,
    unit,
    container,
    engine,
    from,
    to,
    before?.at ?? null,
    before?.id ?? null,
    limit,
  );
}

function* forget(before: number, most: number, mostBytes: number): Steps<number> {
  yield* run(
    "UPDATE endings SET sealed = NULL, bytes = 0, words = 'forgotten' WHERE id IN (SELECT id FROM (SELECT id, " +
      "sum(bytes) OVER (ORDER BY at DESC, id DESC) AS total FROM endings WHERE bytes > 0) AS counted WHERE total > $1)",
    mostBytes,
  );
  return yield* run(
    "DELETE FROM endings WHERE at < $1 OR id IN (SELECT id FROM endings ORDER BY at DESC, id DESC LIMIT 1000 OFFSET $2)",
    before,
    most,
  );
}
