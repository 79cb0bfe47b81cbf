/** The plans of a berth in a process of its own, read with the database's own reader from where it keeps them. */
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { Plans } from "./watched_makes.ts";

type Ask = <T>(sql: string, ...values: string[]) => Promise<T[]>;

/** `database` is the address of its PostgreSQL; without one its store lies in the folder. */
export function plansOnDisk(data: string, database?: string): Plans {
  const ask = database === undefined ? inFolder(data) : inPostgres(database);
  return {
    store: {
      applies: {
        get: async (id) =>
          (await ask<{ work: string; workspace: string }>(
            "SELECT work, workspace FROM applies WHERE id = $1",
            id,
          ))[0] ??
            null,
      },
      workspaces: { list: () => ask<{ id: string; path: string }>("SELECT id, path FROM workspaces") },
    },
  };
}

const inFolder = (data: string): Ask => (sql, ...values) => {
  const database = new DatabaseSync(`${data}/berth.db`, { readOnly: true });
  try {
    return Promise.resolve(database.prepare(sql.replace("$1", "?")).all(...values) as never);
  } finally {
    database.close();
  }
};

const inPostgres = (address: string): Ask => async (sql, ...values) => {
  const client = new pg.Client(address);
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
};
