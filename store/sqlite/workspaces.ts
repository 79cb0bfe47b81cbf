/** Workspaces in SQLite. */
import { ServiceError } from "../../core/error.ts";
import type { WorkspaceRecord, WorkspaceStore } from "../../core/store.ts";
import { insertEntry } from "./audit.ts";
import type { SqliteDatabase } from "./database.ts";

const COLUMNS = "id, name, path, created_at AS createdAt, allow_hard_links AS allowHardLinks";

type Row = Omit<WorkspaceRecord, "allowHardLinks"> & { readonly allowHardLinks: number };

export function sqliteWorkspaces(database: SqliteDatabase): WorkspaceStore {
  return {
    list: () =>
      database.read(() =>
        database.all<Row>(`SELECT ${COLUMNS} FROM workspaces ORDER BY name, id`).map(plain)
      ),
    get: (id) =>
      database.read(() => {
        const row = database.get<Row>(`SELECT ${COLUMNS} FROM workspaces WHERE id = ?`, id);
        return row === undefined ? null : plain(row);
      }),
    add: (record, entry) =>
      database.write(() => {
        const { id, name, path, createdAt, allowHardLinks } = record;
        const added = database.run(
          "INSERT INTO workspaces (id, name, path, created_at, allow_hard_links) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
          id,
          name,
          path,
          createdAt,
          Number(allowHardLinks),
        );
        if (added === 0) {
          throw new ServiceError(
            "workspace_exists",
            `Cannot register the workspace "${name}": its id or its folder is registered already`,
          );
        }
        insertEntry(database, entry);
      }),
    setHardLinks: (id, allowed, entry) =>
      database.write(() => {
        const set = database.run(
          "UPDATE workspaces SET allow_hard_links = ? WHERE id = ?",
          Number(allowed),
          id,
        );
        if (set === 0) return false;
        insertEntry(database, entry);
        return true;
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
function plain(row: Row): WorkspaceRecord {
  return { ...row, allowHardLinks: row.allowHardLinks === 1 };
}
