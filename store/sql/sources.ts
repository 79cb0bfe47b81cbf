/** The Git branches that workspaces follow. */
import { ServiceError } from "../../core/error.ts";
import type { SourceRecord, SourceStore } from "../../core/source.ts";
import { insertEntry } from "./audit.ts";
import { all, get, run, type Sql } from "./steps.ts";

type Row = Omit<SourceRecord, "by" | "syncing" | "hook"> & {
  readonly byKind: SourceRecord["by"]["kind"];
  readonly byId: string;
  readonly byName: string;
  /** JSON, or null. */
  readonly syncing: string | null;
  readonly hookId: string | null;
  readonly hookSecret: Uint8Array | null;
};

const COLUMNS =
  'workspace_id AS "workspace", url, branch, folder, policy, by_kind AS "byKind", by_id AS "byId", by_name AS "byName", ' +
  'created_at AS "createdAt", credential, synced, syncing, head, checked_at AS "checkedAt", error, failures, ' +
  'hook_id AS "hookId", hook_secret AS "hookSecret"';

export function sqlSources(sql: Sql): SourceStore {
  return {
    list: () =>
      sql.read(function* () {
        return (yield* all<Row>(`SELECT ${COLUMNS} FROM sources ORDER BY workspace_id`)).map(recordFrom);
      }),
    get: (workspace) =>
      sql.read(function* () {
        const row = yield* get<Row>(`SELECT ${COLUMNS} FROM sources WHERE workspace_id = $1`, workspace);
        return row === undefined ? null : recordFrom(row);
      }),
    put: (record, most, entry) =>
      sql.write(function* () {
        const { workspace, url, branch, folder, policy, by, createdAt, credential } = record;
        const { synced, syncing, head, checkedAt, error, failures, hook } = record;
        const known = yield* get("SELECT 1 FROM workspaces WHERE id = $1", workspace);
        if (known === undefined) throw new ServiceError("workspace_not_found", "No workspace has this id");
        yield* run("DELETE FROM sources WHERE workspace_id = $1", workspace);
        const count = yield* get<{ count: number }>("SELECT count(*) AS count FROM sources");
        if ((count?.count ?? 0) >= most) {
          throw new ServiceError(
            "source_refused",
            `Cannot follow the repository: ${most} are followed already`,
          );
        }
        yield* run(
          "INSERT INTO sources (workspace_id, url, branch, folder, policy, by_kind, by_id, by_name, created_at, " +
            "credential, synced, syncing, head, checked_at, error, failures, hook_id, hook_secret) " +
            "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
          workspace,
          url,
          branch,
          folder,
          policy,
          by.kind,
          by.id,
          by.name,
          createdAt,
          credential,
          synced,
          syncing === null ? null : JSON.stringify(syncing),
          head,
          checkedAt,
          error,
          failures,
          hook?.id ?? null,
          hook?.secret ?? null,
        );
        yield* insertEntry(entry);
      }),
    ofHook: (id) =>
      sql.read(function* () {
        const row = yield* get<Row>(`SELECT ${COLUMNS} FROM sources WHERE hook_id = $1`, id);
        return row === undefined ? null : recordFrom(row);
      }),
    setHook: (workspace, hook, entry) =>
      sql.write(function* () {
        const set = yield* run(
          "UPDATE sources SET hook_id = $1, hook_secret = $2 WHERE workspace_id = $3",
          hook?.id ?? null,
          hook?.secret ?? null,
          workspace,
        );
        if (set === 0) return false;
        yield* insertEntry(entry);
        return true;
      }),
    remove: (workspace, entry) =>
      sql.write(function* () {
        if ((yield* run("DELETE FROM sources WHERE workspace_id = $1", workspace)) === 0) return false;
        yield* insertEntry(entry);
        return true;
      }),
    note: async (workspace, { head, checkedAt, error, failures }) => {
      await sql.write(() =>
        run(
          "UPDATE sources SET head = $1, checked_at = $2, error = $3, failures = $4 WHERE workspace_id = $5",
          head,
          checkedAt,
          error,
          failures,
          workspace,
        )
      );
    },
    sync: (workspace, { synced, syncing }, entry) =>
      sql.write(function* () {
        const set = yield* run(
          "UPDATE sources SET synced = $1, syncing = $2 WHERE workspace_id = $3",
          synced,
          syncing === null ? null : JSON.stringify(syncing),
          workspace,
        );
        if (set === 0) return false;
        yield* insertEntry(entry);
        return true;
      }),
  };
}

function recordFrom(
  { byKind, byId, byName, syncing, hookId, hookSecret, ...row }: Row,
): SourceRecord {
  return {
    ...row,
    by: { kind: byKind, id: byId, name: byName },
    syncing: syncing === null ? null : JSON.parse(syncing), // as `put` and `sync` wrote it
    hook: hookId === null || hookSecret === null ? null : { id: hookId, secret: hookSecret },
  };
}
