/** Workspaces in SQLite. */
import { ServiceError } from "../../core/error.ts";
import type { WorkspaceRecord, WorkspaceStore } from "../../core/store.ts";
import { insertEntry } from "./audit.ts";
import type { SqliteDatabase } from "./database.ts";

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
    add: (record, entry) =>
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
        insertEntry(database, entry);
      }),
    remove: (id, entry) =>
      database.write(() => {
        if (database.run("DELETE FROM workspaces WHERE id = ?", id) === 0) return false;
        insertEntry(database, entry);
        return true;
      }),
  };
}

/** SQLite's rows have no prototype, which deep comparisons and some serialisers stumble over. */
function plain(row: WorkspaceRecord): WorkspaceRecord {
  return { ...row };
}
