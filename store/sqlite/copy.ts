/** All rows of a SQLite store, read as of one moment and written in one transaction. */
import { ServiceError } from "../../core/error.ts";
import type { StoreCopy } from "../../core/store.ts";
import { COPIED, type CopiedRow, type CopiedValue, IN_USE } from "../copy.ts";
import type { SqliteDatabase } from "./database.ts";

export function sqliteCopy(database: SqliteDatabase): StoreCopy {
  const columnsOf = (table: string) =>
    database.all<{ name: string }>("SELECT name FROM pragma_table_info(?)", table).map(({ name }) => name)
      .sort();
  return {
    columns: () => database.read(() => Object.fromEntries(COPIED.map(({ name }) => [name, columnsOf(name)]))),
    read: (take) =>
      // A running berth writes on meanwhile, and what it writes is not seen.
      database.readAsOfOneMoment(() => {
        for (const { name, order } of COPIED) {
          const columns = columnsOf(name);
          const sql = `SELECT ${columns.join(", ")} FROM ${name} ORDER BY ${order.join(", ")}`;
          for (const row of database.each<CopiedRow>(sql)) take(name, { ...row });
        }
      }),
    fill: (rows) =>
      database.write(() => {
        for (const table of IN_USE) {
          if (database.get(`SELECT 1 FROM ${table} LIMIT 1`) !== undefined) throw isInUse();
        }
        for (const { name } of COPIED.toReversed()) database.run(`DELETE FROM ${name}`);
        for (const { table, row } of rows()) {
          const columns = Object.keys(row);
          database.run(
            `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
            ...Object.values<CopiedValue>(row),
          );
        }
      }),
  };
}

function isInUse(): ServiceError {
  return new ServiceError(
    "store_unavailable",
    "Cannot import: the store is in use already; name an empty data folder in BERTH_DATA",
  );
}
