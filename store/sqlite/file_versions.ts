/** Earlier texts of files in SQLite. */
import { ServiceError } from "../../core/error.ts";
import type { FileVersionStore, SealedFileVersion } from "../../core/store.ts";
import type { SqliteDatabase } from "./database.ts";
import { fileVersionFrom, type FileVersionRow } from "../records.ts";

const COLUMNS =
  "id, workspace_id AS workspace, path, kind, at, by_kind AS byKind, by_id AS byId, by_name AS byName, sha256, size";

export function sqliteFileVersions(database: SqliteDatabase): FileVersionStore {
  return {
    add: (version, { most, mostBytes }) =>
      database.write(() => {
        const { workspace, path, kind, at, by, sha256, size, sealed } = version;
        if (database.get("SELECT 1 FROM workspaces WHERE id = ?", workspace) === undefined) {
          throw new ServiceError("workspace_not_found", "No workspace has this id");
        }
        const newest = database.get<{ sha256: string }>(
          "SELECT sha256 FROM file_versions WHERE workspace_id = ? AND path = ? ORDER BY id DESC LIMIT 1",
          workspace,
          path,
        );
        if (newest?.sha256 === sha256) return;
        database.run(
          "INSERT INTO file_versions (workspace_id, path, kind, at, by_kind, by_id, by_name, sha256, size, sealed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          workspace,
          path,
          kind,
          at,
          by.kind,
          by.id,
          by.name,
          sha256,
          size,
          sealed,
        );
        database.run(
          `DELETE FROM file_versions WHERE workspace_id = ? AND path = ? AND id NOT IN (
             SELECT id FROM file_versions WHERE workspace_id = ? AND path = ? ORDER BY id DESC LIMIT ?)`,
          workspace,
          path,
          workspace,
          path,
          most,
        );
        database.run(
          `DELETE FROM file_versions WHERE id IN (SELECT id FROM (
             SELECT id, sum(size) OVER (ORDER BY id DESC) AS total FROM file_versions WHERE workspace_id = ?)
             WHERE total > ?)`,
          workspace,
          mostBytes,
        );
      }),
    list: (workspace, path) =>
      database.read(() =>
        database.all<FileVersionRow>(
          `SELECT ${COLUMNS} FROM file_versions WHERE workspace_id = ? AND path = ? ORDER BY id DESC`,
          workspace,
          path,
        ).map(fileVersionFrom)
      ),
    get: (workspace, id) =>
      database.read((): SealedFileVersion | null => {
        const row = database.get<FileVersionRow & { readonly sealed: Uint8Array }>(
          `SELECT ${COLUMNS}, sealed FROM file_versions WHERE workspace_id = ? AND id = ?`,
          workspace,
          id,
        );
        return row === undefined ? null : { ...fileVersionFrom(row), sealed: row.sealed };
      }),
  };
}
