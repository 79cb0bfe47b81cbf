/** Earlier texts of files in SQLite. */
import { ServiceError } from "../../core/error.ts";
import type { FileVersion, FileVersionStore, SealedFileVersion } from "../../core/store.ts";
import type { SqliteDatabase } from "./database.ts";

const COLUMNS =
  "id, workspace_id AS workspace, path, kind, at, by_kind AS byKind, by_id AS byId, by_name AS byName, sha256, size";

type Row = Omit<FileVersion, "by"> & {
  readonly byKind: FileVersion["by"]["kind"];
  readonly byId: string;
  readonly byName: string;
};

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
        database.all<Row>(
          `SELECT ${COLUMNS} FROM file_versions WHERE workspace_id = ? AND path = ? ORDER BY id DESC`,
          workspace,
          path,
        ).map(plain)
      ),
    get: (workspace, id) =>
      database.read((): SealedFileVersion | null => {
        const row = database.get<Row & { readonly sealed: Uint8Array }>(
          `SELECT ${COLUMNS}, sealed FROM file_versions WHERE workspace_id = ? AND id = ?`,
          workspace,
          id,
        );
        return row === undefined ? null : { ...plain(row), sealed: row.sealed };
      }),
  };
}

function plain({ id, workspace, path, kind, at, byKind, byId, byName, sha256, size }: Row): FileVersion {
  return { id, workspace, path, kind, at, by: { kind: byKind, id: byId, name: byName }, sha256, size };
}
