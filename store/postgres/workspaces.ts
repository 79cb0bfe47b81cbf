/** Workspaces in PostgreSQL. */
import { ServiceError } from "../../core/error.ts";
import type { WorkspaceRecord, WorkspaceStore } from "../../core/store.ts";
import { insertEntry } from "./audit.ts";
import type { PostgresDatabase } from "./database.ts";

const COLUMNS = 'id, name, path, created_at AS "createdAt", allow_hard_links AS "allowHardLinks", editable';

export function postgresWorkspaces(database: PostgresDatabase): WorkspaceStore {
  return {
    list: () => database.all<WorkspaceRecord>(`SELECT ${COLUMNS} FROM workspaces ORDER BY name, id`),
    get: async (id) =>
      await database.get<WorkspaceRecord>(`SELECT ${COLUMNS} FROM workspaces WHERE id = $1`, id) ?? null,
    add: ({ id, name, path, createdAt, allowHardLinks, editable }, entry) =>
      database.write(async (tx) => {
        const added = await tx.run(
          "INSERT INTO workspaces (id, name, path, created_at, allow_hard_links, editable) VALUES ($1, $2, $3, $4, $5, $6) " +
            "ON CONFLICT DO NOTHING",
          id,
          name,
          path,
          createdAt,
          allowHardLinks,
          editable,
        );
        if (added === 0) {
          throw new ServiceError(
            "workspace_exists",
            `Cannot register the workspace "${name}": its id or its folder is registered already`,
          );
        }
        await insertEntry(tx, entry);
      }),
    change: (id, { allowHardLinks, editable }, entry) =>
      database.write(async (tx) => {
        const set = await tx.run(
          "UPDATE workspaces SET allow_hard_links = coalesce($1, allow_hard_links), " +
            "editable = coalesce($2, editable) WHERE id = $3",
          allowHardLinks ?? null,
          editable ?? null,
          id,
        );
        if (set === 0) return false;
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
