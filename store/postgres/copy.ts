/** All rows of a PostgreSQL store, read as of one moment and written in one transaction. */
import { ServiceError } from "../../core/error.ts";
import type { StoreCopy } from "../../core/store.ts";
import { COPIED, type CopiedRow, type CopiedValue, IN_USE } from "../copy.ts";
import type { PostgresDatabase } from "./database.ts";
import type { Queries, Transaction } from "./transaction.ts";

const BATCH = 500;

interface Column {
  readonly name: string;
  readonly type: string;
  /** True if the database counts it up. */
  readonly counted: boolean;
}

export function postgresCopy(database: PostgresDatabase): StoreCopy {
  return {
    columns: async () => {
      const all: Record<string, string[]> = {};
      for (const { name } of COPIED) {
        all[name] = (await columnsOf(database, name)).map((column) => column.name);
      }
      return all;
    },
    read: (take) =>
      database.write(async (tx) => {
        await tx.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        for (const { name, order } of COPIED) {
          const columns = await columnsOf(tx, name);
          const typeOf = new Map(columns.map((column) => [column.name, column.type]));
          const sorted = order.map((column) =>
            typeOf.get(column) === "text" ? `${column} COLLATE "C"` : column
          );
          const names = columns.map((column) => column.name).join(", ");
          await tx.run(
            `DECLARE copied CURSOR FOR SELECT ${names} FROM ${name} ORDER BY ${sorted.join(", ")}`,
          );
          while (true) {
            const rows = await tx.all<Record<string, CopiedValue | boolean>>(`FETCH ${BATCH} FROM copied`);
            for (const row of rows) take(name, plain(row));
            if (rows.length < BATCH) break;
          }
          await tx.run("CLOSE copied");
        }
      }),
    fill: (rows) =>
      database.write(async (tx) => {
        for (const table of IN_USE) {
          if (await tx.get(`SELECT 1 FROM ${table} LIMIT 1`) !== undefined) throw isInUse();
        }
        for (const { name } of COPIED.toReversed()) await tx.run(`DELETE FROM ${name}`);
        let batch: CopiedRow[] = [];
        let table = "";
        const flush = async () => {
          if (batch.length > 0) await insert(tx, table, batch);
          batch = [];
        };
        for (const one of rows()) {
          if (one.table !== table || batch.length >= BATCH) await flush();
          table = one.table;
          batch.push(one.row);
        }
        await flush();
        for (const { name } of COPIED) {
          for (const column of (await columnsOf(tx, name)).filter(({ counted }) => counted)) {
            await tx.all(
              `SELECT setval(pg_get_serial_sequence('${name}', '${column.name}'), ` +
                `(SELECT coalesce(max(${column.name}), 0) + 1 FROM ${name}), false)`,
            );
          }
        }
      }),
  };
}

/** Returns the columns of a copy: those that the database fills by itself are left out. */
async function columnsOf(queries: Queries, table: string): Promise<Column[]> {
  return await queries.all<Column>(
    "SELECT column_name::text AS name, data_type::text AS type, is_identity = 'YES' AS counted " +
      "FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1 " +
      "AND (identity_generation IS NULL OR identity_generation <> 'ALWAYS') ORDER BY column_name COLLATE \"C\"",
    table,
  );
}

async function insert(tx: Transaction, table: string, rows: readonly CopiedRow[]): Promise<void> {
  const columns = await columnsOf(tx, table);
  const names = columns.map(({ name }) => name).join(", ");
  const arrays = columns.map(({ type }, at) => `$${at + 1}::${type}[]`).join(", ");
  await tx.run(
    `INSERT INTO ${table} (${names}) SELECT * FROM unnest(${arrays})`,
    ...columns.map(({ name, type }) =>
      rows.map((row) => type === "boolean" ? row[name] === 1 : row[name] ?? null)
    ),
  );
}

function plain(row: Record<string, CopiedValue | boolean>): CopiedRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === "boolean" ? Number(value) : value]),
  );
}

function isInUse(): ServiceError {
  return new ServiceError(
    "store_unavailable",
    "Cannot import: the database is in use already; name an empty one in BERTH_DATABASE_URL",
  );
}
