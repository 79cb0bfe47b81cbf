/** Newer images: the rules, and the answers of registries. */
import {
  type CheckRecord,
  DUE_UPDATES,
  type FailedUpdate,
  type ProjectUpdates,
  type UpdateRules,
  type UpdateStore,
} from "../../core/updates.ts";
import { insertEntry } from "./audit.ts";
import { all, get, run, type Sql, type Steps, tell } from "./steps.ts";

type Row = Omit<UpdateRules, "enabled"> & { readonly enabled: boolean | number; readonly revision: number };

const NONE: Row = { enabled: false, coolDownDays: 0, revision: 0 };

interface ProjectRow extends Omit<ProjectUpdates, "automatic" | "window" | "by"> {
  readonly automatic: boolean | number;
  readonly window: string | null;
  readonly byKind: ProjectUpdates["by"]["kind"];
  readonly byId: string;
  readonly byName: string;
}

const PROJECT_COLUMNS =
  'workspace_id AS workspace, group_name AS "group", automatic, hours AS "window", cool_down_days AS "coolDownDays", ' +
  'by_kind AS "byKind", by_id AS "byId", by_name AS "byName", at, waits, went_back_at AS "wentBackAt"';

export function sqlUpdates(sql: Sql): UpdateStore {
  return { ...sqlChecks(sql), ...sqlProjectUpdates(sql) };
}

type ProjectStore = Pick<UpdateStore, "projects" | "setProject" | "noteProject" | "failures" | "addFailures">;

function sqlProjectUpdates(sql: Sql): ProjectStore {
  return {
    projects: async () =>
      (await sql.read(() =>
        all<ProjectRow>(`SELECT ${PROJECT_COLUMNS} FROM project_updates ORDER BY workspace_id, group_name`)
      )).map(({ byKind, byId, byName, automatic, window, ...row }) => ({
        ...row,
        automatic: Boolean(automatic),
        window: window === null ? null : JSON.parse(window), // as `setProject` wrote it
        by: { kind: byKind, id: byId, name: byName },
      })),
    setProject: ({ workspace, group }, wanted, entry) =>
      sql.write(function* () {
        yield* changed();
        yield* run(
          "DELETE FROM project_updates WHERE workspace_id = $1 AND group_name = $2",
          workspace,
          group,
        );
        if (wanted !== null) yield* insertProject(wanted);
        yield* insertEntry(entry);
      }),
    noteProject: ({ workspace, group }, { waits, wentBackAt }) =>
      sql.write(function* () {
        yield* changed();
        yield* run(
          "UPDATE project_updates SET waits = $3, went_back_at = $4 WHERE workspace_id = $1 AND group_name = $2",
          workspace,
          group,
          waits,
          wentBackAt,
        );
      }),
    failures: () =>
      sql.read(() =>
        all<FailedUpdate>(
          'SELECT workspace_id AS workspace, group_name AS "group", unit, digest, apply_id AS apply, reason, at ' +
            "FROM update_failures ORDER BY at, workspace_id, group_name, unit, digest",
        )
      ),
    addFailures: (failures, most) =>
      sql.write(function* () {
        if (failures.length === 0) return;
        yield* changed();
        for (const failure of failures) yield* insertFailure(failure);
        yield* run(
          "DELETE FROM update_failures WHERE at < (SELECT min(at) FROM " +
            "(SELECT at FROM update_failures ORDER BY at DESC LIMIT $1) AS kept)",
          most,
        );
      }),
  };
}

function* insertProject(wanted: ProjectUpdates): Steps<void> {
  const { workspace, group, automatic, window, coolDownDays, by, at, waits, wentBackAt } = wanted;
  yield* run(
    "INSERT INTO project_updates (workspace_id, group_name, automatic, hours, cool_down_days, by_kind, by_id, " +
      "by_name, at, waits, went_back_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    workspace,
    group,
    automatic,
    window === null ? null : JSON.stringify(window),
    coolDownDays,
    by.kind,
    by.id,
    by.name,
    at,
    waits,
    wentBackAt,
  );
}

function* insertFailure({ workspace, group, unit, digest, apply, reason, at }: FailedUpdate): Steps<void> {
  yield* run(
    "DELETE FROM update_failures WHERE workspace_id = $1 AND group_name = $2 AND unit = $3 AND digest = $4",
    workspace,
    group,
    unit,
    digest,
  );
  yield* run(
    "INSERT INTO update_failures (workspace_id, group_name, unit, digest, apply_id, reason, at) " +
      "SELECT id, $2, $3, $4, $5, $6, $7 FROM workspaces WHERE id = $1",
    workspace,
    group,
    unit,
    digest,
    apply,
    reason,
    at,
  );
}

type CheckStore = Omit<UpdateStore, keyof ProjectStore>;

function sqlChecks(sql: Sql): CheckStore {
  return {
    rules: () =>
      sql.read(function* () {
        const { enabled, ...rest } = (yield* get<Row>(
          'SELECT enabled, cool_down_days AS "coolDownDays", revision FROM update_rules',
        )) ?? NONE;
        return { ...rest, enabled: Boolean(enabled) };
      }),
    setRules: ({ enabled, coolDownDays }, entry) =>
      sql.write(function* () {
        yield* changed();
        yield* run("UPDATE update_rules SET enabled = $1, cool_down_days = $2", enabled, coolDownDays);
        yield* insertEntry(entry);
      }),
    checks: () =>
      sql.read(() =>
        all<CheckRecord>('SELECT reference, body, next_at AS "nextAt" FROM image_checks ORDER BY reference')
      ),
    putChecks: (checks, most) =>
      sql.write(function* () {
        if (checks.length === 0) return;
        yield* changed();
        for (const { reference, body, nextAt } of checks) {
          const known = yield* run(
            "UPDATE image_checks SET body = $2, next_at = $3 WHERE reference = $1",
            reference,
            body,
            nextAt,
          );
          if (known > 0) continue;
          const count = yield* get<{ count: number }>("SELECT count(*) AS count FROM image_checks");
          if ((count?.count ?? 0) >= most) continue;
          yield* run(
            "INSERT INTO image_checks (reference, body, next_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            reference,
            body,
            nextAt,
          );
        }
      }),
    forgetChecks: (references) =>
      sql.write(function* () {
        if (references.length === 0) return;
        yield* changed();
        for (const reference of references) {
          yield* run("DELETE FROM image_checks WHERE reference = $1", reference);
        }
      }),
    hasten: (at) =>
      sql.write(function* () {
        yield* changed();
        yield* run("UPDATE image_checks SET next_at = $1 WHERE next_at > $1", at);
        yield* tell(DUE_UPDATES);
      }),
  };
}

/** Counts a change, so that every replica reads anew. */
function* changed(): Steps<void> {
  yield* run(
    "INSERT INTO update_rules (id, enabled, cool_down_days, revision) VALUES (1, $1, 0, 0) ON CONFLICT DO NOTHING",
    false,
  );
  yield* run("UPDATE update_rules SET revision = revision + 1");
}
