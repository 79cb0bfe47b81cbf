/** Earlier texts of files. */
import { ServiceError } from "../../core/error.ts";
import type { FileVersionStore, SealedFileVersion } from "../../core/store.ts";
import { fileVersionFrom, type FileVersionRow } from "./records.ts";
import { all, get, run, type Sql, type Steps } from "./steps.ts";

const COLUMNS = 'id, workspace_id AS workspace, path, kind, at, by_kind AS "byKind", by_id AS "byId", ' +
  'by_name AS "byName", sha256, size';

export function sqlFileVersions(sql: Sql): FileVersionStore {
  return {
    add: ({ workspace, path, kind, at, by, sha256, size, sealed }, { most, mostBytes }) =>
      sql.write(function* () {
        // A second save in the same workspace waits.
        const sql = "SELECT 1 FROM workspaces WHERE id = $1 FOR UPDATE";
        if ((yield* get(sql, workspace)) === undefined) {
          throw new ServiceError("workspace_not_found", "No workspace has this id");
        }
        const newest = yield* get<{ sha256: string }>(
          "SELECT sha256 FROM file_versions WHERE workspace_id = $1 AND path = $2 ORDER BY id DESC LIMIT 1",
          workspace,
          path,
        );
        if (newest?.sha256 === sha256) return;
        yield* run(
          "INSERT INTO file_versions (workspace_id, path, kind, at, by_kind, by_id, by_name, sha256, size, sealed) " +
            "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
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
        yield* run(
          `DELETE FROM file_versions WHERE workspace_id = $1 AND path = $2 AND id NOT IN (
             SELECT id FROM file_versions WHERE workspace_id = $1 AND path = $2 ORDER BY id DESC LIMIT $3)`,
          workspace,
          path,
          most,
        );
        yield* run(
          `DELETE FROM file_versions WHERE id IN (SELECT id FROM (
             SELECT id, sum(size) OVER (ORDER BY id DESC) AS total FROM file_versions WHERE workspace_id = $1) AS sums
             WHERE total > $2)`,
          workspace,
          mostBytes,
        );
      }),
    list: async (workspace, path) =>
      (await sql.read(() =>
        all<FileVersionRow>(
          `SELECT ${COLUMNS} FROM file_versions WHERE workspace_id = $1 AND path = $2 ORDER BY id DESC`,
          workspace,
          path,
        )
      )).map(fileVersionFrom),
    newest: async (workspace, paths, limit) => {
      if (paths.length === 0) return [];
      const places = paths.map((_, at) => `$${at + 3}`).join(", ");
      const rows = await sql.read(() =>
        all<FileVersionRow>(
          `SELECT ${COLUMNS} FROM file_versions WHERE workspace_id = $1 AND path IN (${places}) ` +
            "ORDER BY id DESC LIMIT $2",
          workspace,
          limit,
          ...paths,
        )
      );
      return rows.map(fileVersionFrom);
    },
    get: (workspace, id) =>
      sql.read(function* (): Steps<SealedFileVersion | null> {
        const row = yield* get<FileVersionRow & { readonly sealed: Uint8Array }>(
          `SELECT ${COLUMNS}, sealed FROM file_versions WHERE workspace_id = $1 AND id = $2`,
          workspace,
          id,
        );
        return row === undefined ? null : { ...fileVersionFrom(row), sealed: row.sealed };
      }),
  };
}
