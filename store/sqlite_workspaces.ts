/** Workspaces in SQLite. */
import { ServiceError } from "../core/error.ts";
import type { WorkspaceRecord, WorkspaceStore } from "../core/store.ts";
import type { SqliteDatabase } from "./sqlite_database.ts";

const COLUMNS = "id, name, path, created_at AS createdAt";

export function sqliteWorkspaces(database: SqliteDatabase): WorkspaceStore {
  return {
    list: () =>
      database.read(() =>
        database.all<WorkspaceRecord>(`SELECT ${COLUMNS} FROM workspaces ORDER BY name, id`).map(plain)
      ),
    get: (id) =>
      database.read(() => {
        const row = database.get<WorkspaceRecord>(`SELECT ${COLUMNS} FROM workspaces WHERE id = ?`, id);
        return row === undefined ? null : plain(row);
      }),
    add: (record) =>
      database.write(() => {
        const { id, name, path, createdAt } = record;
        const added = database.run(
          "INSERT INTO workspaces (id, name, path, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
          id,
          name,
          path,
          createdAt,
        );
        if (added === 0) {
          throw new ServiceError(
            "workspace_exists",
            `Cannot register the workspace "${name}": its id or its folder is registered already`,
          );
        }
      }),
    remove: (id) => database.write(() => database.run("DELETE FROM workspaces WHERE id = ?", id) === 1),
  };
}

/** SQLite's rows have no prototype, which deep comparisons and some serialisers stumble over. */
function plain(row: WorkspaceRecord): WorkspaceRecord {
  return { ...row };
}
