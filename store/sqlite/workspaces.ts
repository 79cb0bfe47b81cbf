/** Workspaces in SQLite. */
import { ServiceError } from "../../core/error.ts";
import type { WorkspaceRecord, WorkspaceStore } from "../../core/store.ts";
import { insertEntry } from "./audit.ts";
import type { SqliteDatabase } from "./database.ts";

const COLUMNS = "id, name, path, created_at AS createdAt, allow_hard_links AS allowHardLinks, editable";

type Row = Omit<WorkspaceRecord, "allowHardLinks" | "editable"> & {
  readonly allowHardLinks: number;
  readonly editable: number;
};

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
        const { id, name, path, createdAt, allowHardLinks, editable } = record;
        const added = database.run(
          "INSERT INTO workspaces (id, name, path, created_at, allow_hard_links, editable) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
          id,
          name,
          path,
          createdAt,
          Number(allowHardLinks),
          Number(editable),
        );
        if (added === 0) {
          throw new ServiceError(
            "workspace_exists",
            `Cannot register the workspace "${name}": its id or its folder is registered already`,
          );
        }
        insertEntry(database, entry);
      }),
    change: (id, { allowHardLinks, editable }, entry) =>
      database.write(() => {
        const set = database.run(
          "UPDATE workspaces SET allow_hard_links = coalesce(?, allow_hard_links), editable = coalesce(?, editable) WHERE id = ?",
          allowHardLinks === undefined ? null : Number(allowHardLinks),
          editable === undefined ? null : Number(editable),
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
  return { ...row, allowHardLinks: row.allowHardLinks === 1, editable: row.editable === 1 };
}
