/** Plans in SQLite, for as long as each is good for. */
import type { PlanStore } from "../../core/store.ts";
import { insertEntry } from "./audit.ts";
import type { SqliteDatabase } from "./database.ts";
import { planFrom, type PlanRow } from "../records.ts";

const COLUMNS = "id, workspace_id AS workspaceId, project, backend, creator_kind AS creatorKind, " +
  "creator_id AS creatorId, created_by AS createdBy, created_at AS createdAt, expires_at AS expiresAt, body";

export function sqlitePlans(database: SqliteDatabase): PlanStore {
  return {
    add: (plan, most, entry) =>
      database.write(() => {
        database.run("DELETE FROM plans WHERE expires_at <= ?", plan.createdAt);
        // The last of those that were added before, with room for this one.
        database.run(
          "DELETE FROM plans WHERE id NOT IN (SELECT id FROM plans ORDER BY created_at DESC, rowid DESC LIMIT ?)",
          most - 1,
        );
        database.run(
          "INSERT INTO plans (id, workspace_id, project, backend, creator_kind, creator_id, created_by, " +
            "created_at, expires_at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          plan.id,
          plan.workspaceId,
          plan.project,
          plan.backend,
          plan.creator.kind,
          plan.creator.id,
          plan.createdBy,
          plan.createdAt,
          plan.expiresAt,
          plan.body,
        );
        insertEntry(database, entry);
      }),
    get: (id, now) =>
      database.read(() => {
        const row = database.get<PlanRow>(
          `SELECT ${COLUMNS} FROM plans WHERE id = ? AND expires_at > ?`,
          id,
          now,
        );
        return row === undefined ? null : planFrom(row);
      }),
  };
}
