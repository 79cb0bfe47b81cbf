/** Workspaces in PostgreSQL. */
import { ServiceError } from "../../core/error.ts";
import type { WorkspaceRecord, WorkspaceStore } from "../../core/store.ts";
import { insertEntry } from "./audit.ts";
import type { PostgresDatabase } from "./database.ts";

const COLUMNS = 'id, name, path, created_at AS "createdAt", allow_hard_links AS "allowHardLinks"';

export function postgresWorkspaces(database: PostgresDatabase): WorkspaceStore {
  return {
    list: () => database.all<WorkspaceRecord>(`SELECT ${COLUMNS} FROM workspaces ORDER BY name, id`),
    get: async (id) =>
      await database.get<WorkspaceRecord>(`SELECT ${COLUMNS} FROM workspaces WHERE id = $1`, id) ?? null,
    add: ({ id, name, path, createdAt, allowHardLinks }, entry) =>
      database.write(async (tx) => {
        const added = await tx.run(
          "INSERT INTO workspaces (id, name, path, created_at, allow_hard_links) VALUES ($1, $2, $3, $4, $5) " +
            "ON CONFLICT DO NOTHING",
          id,
          name,
          path,
          createdAt,
          allowHardLinks,
        );
        if (added === 0) {
          throw new ServiceError(
            "workspace_exists",
            `Cannot register the workspace "${name}": its id or its folder is registered already`,
          );
        }
        await insertEntry(tx, entry);
      }),
    setHardLinks: (id, allowed, entry) =>
      database.write(async (tx) => {
        if (await tx.run("UPDATE workspaces SET allow_hard_links = $1 WHERE id = $2", allowed, id) === 0) {
          return false;
        }
        await insertEntry(tx, entry);
        return true;
      }),
    remove: (id, entry) =>
      database.write(async (tx) => {
        if (await tx.run("DELETE FROM workspaces WHERE id = $1", id) === 0) return false;
        await insertEntry(tx, entry);
        return true;
      }),
  };
}
