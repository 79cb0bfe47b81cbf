/** Plans, for as long as each is good for. */
import type { PlanStore } from "../../core/store.ts";
import { insertEntry } from "./audit.ts";
import { planFrom, type PlanRow } from "./records.ts";
import { get, lock, run, type Sql } from "./steps.ts";

const COLUMNS = 'id, workspace_id AS "workspaceId", project, backend, creator_kind AS "creatorKind", ' +
  'creator_id AS "creatorId", created_by AS "createdBy", created_at AS "createdAt", expires_at AS "expiresAt", body';

export function sqlPlans(sql: Sql): PlanStore {
  return {
    add: (plans, now, most, entry) =>
      sql.write(function* () {
        yield* lock("plans");
        yield* run("DELETE FROM plans WHERE expires_at <= $1", now);
        // The last of those that were added before, with room for these: nobody's plans go for those of others.
        const [first] = plans;
        const { kind, id } = first?.creator ?? { kind: "", id: "" };
        yield* run(
          "DELETE FROM plans WHERE creator_kind = $1 AND creator_id = $2 AND id NOT IN (SELECT id FROM plans " +
            "WHERE creator_kind = $1 AND creator_id = $2 ORDER BY created_at DESC, place DESC LIMIT $3)",
          kind,
          id,
          Math.max(0, most.ofOne - plans.length),
        );
        yield* run(
          "DELETE FROM plans WHERE id NOT IN (SELECT id FROM plans ORDER BY created_at DESC, place DESC LIMIT $1)",
          Math.max(0, most.all - plans.length),
        );
        for (const plan of plans) {
          yield* run(
            "INSERT INTO plans (id, workspace_id, project, backend, creator_kind, creator_id, created_by, " +
              "created_at, expires_at, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
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
        }
        yield* insertEntry(entry);
      }),
    get: (id, now) =>
      sql.read(function* () {
        const row = yield* get<PlanRow>(
          `SELECT ${COLUMNS} FROM plans WHERE id = $1 AND expires_at > $2`,
          id,
          now,
        );
        return row === undefined ? null : planFrom(row);
      }),
  };
}
