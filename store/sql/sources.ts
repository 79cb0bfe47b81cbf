/** The Git branches that workspaces follow. */
import { ServiceError } from "../../core/error.ts";
import type { NewAuditEntry } from "../../core/audit_entry.ts";
import type { SourceRecord, SourceStore } from "../../core/source.ts";
import { insertEntry } from "./audit.ts";
import { all, get, run, type Sql, type Steps } from "./steps.ts";

type Row = Omit<SourceRecord, "by" | "syncing" | "hook" | "todo" | "ssh" | "signers"> & {
  readonly byKind: SourceRecord["by"]["kind"];
  readonly byId: string;
  readonly byName: string;
  /** JSON, or null. */
  readonly syncing: string | null;
  /** JSON, or null. */
  readonly ssh: string | null;
  /** JSON, or null for none. */
  readonly signers: string | null;
  /** JSON, or null. */
  readonly todo: string | null;
  readonly hookId: string | null;
  readonly hookSecret: Uint8Array | null;
};

/** Each column with the name of its value. */
const NAMES: Readonly<Record<keyof Row, string>> = {
  workspace: "workspace_id",
  url: "url",
  branch: "branch",
  folder: "folder",
  policy: "policy",
  byKind: "by_kind",
  byId: "by_id",
  byName: "by_name",
  createdAt: "created_at",
  credential: "credential",
  synced: "synced",
  syncing: "syncing",
  head: "head",
  checkedAt: "checked_at",
  error: "error",
  failures: "failures",
  hookId: "hook_id",
  hookSecret: "hook_secret",
  waiting: "waiting",
  todo: "todo",
  ssh: "ssh",
  signers: "signers",
};
const KEYS = Object.keys(NAMES) as (keyof Row)[]; // as they are declared above
const COLUMNS = KEYS.map((key) => `${NAMES[key]} AS "${key}"`).join(", ");

export function sqlSources(sql: Sql): SourceStore {
  return {
    list: () =>
      sql.read(function* () {
        return (yield* all<Row>(`SELECT ${COLUMNS} FROM sources ORDER BY workspace_id`)).map(recordFrom);
      }),
    get: (workspace) => sql.read(() => found("workspace_id", workspace)),
    ofHook: (id) => sql.read(() => found("hook_id", id)),
    put: (record, most, entry) => sql.write(() => put(record, most, entry)),
    remove: (workspace, entry) =>
      sql.write(function* () {
        if ((yield* run("DELETE FROM sources WHERE workspace_id = $1", workspace)) === 0) return false;
        yield* insertEntry(entry);
        return true;
      }),
    note: async ({ workspace, createdAt }, { head, checkedAt, error, failures }) => {
      await sql.write(() => set(workspace, { head, checkedAt, error, failures }, createdAt));
    },
    setAuto: async ({ workspace, createdAt }, { waiting, todo }) => {
      await sql.write(() => set(workspace, { waiting, todo: jsonOf(todo) }, createdAt));
    },
    setHook: (workspace, hook, entry) =>
      sql.write(() =>
        change(workspace, { hookId: hook?.id ?? null, hookSecret: hook?.secret ?? null }, entry)
      ),
    sync: (workspace, { synced, syncing, policy }, entry) =>
      sql.write(() => change(workspace, { synced, syncing: jsonOf(syncing), policy }, entry)),
  };
}

function* found(column: "workspace_id" | "hook_id", value: string): Steps<SourceRecord | null> {
  const row = yield* get<Row>(`SELECT ${COLUMNS} FROM sources WHERE ${column} = $1`, value);
  return row === undefined ? null : recordFrom(row);
}

function* put(record: SourceRecord, most: number, entry: NewAuditEntry): Steps<void> {
  const row = rowOf(record);
  const known = yield* get("SELECT 1 FROM workspaces WHERE id = $1", row.workspace);
  if (known === undefined) throw new ServiceError("workspace_not_found", "No workspace has this id");
  yield* run("DELETE FROM sources WHERE workspace_id = $1", row.workspace);
  const count = yield* get<{ count: number }>("SELECT count(*) AS count FROM sources");
  if ((count?.count ?? 0) >= most) {
    throw new ServiceError("source_refused", `Cannot follow the repository: ${most} are followed already`);
  }
  yield* run(
    `INSERT INTO sources (${KEYS.map((key) => NAMES[key]).join(", ")}) ` +
      `VALUES (${KEYS.map((_, at) => `$${at + 1}`).join(", ")})`,
    ...KEYS.map((key) => row[key]),
  );
  yield* insertEntry(entry);
}

/** Returns the number of rows that were changed. */
function* set(workspace: string, values: Partial<Row>, createdAt?: number): Steps<number> {
  const keys = Object.keys(values) as (keyof Row)[]; // of a literal
  const changed = keys.map((key, at) => `${NAMES[key]} = $${at + 2}`).join(", ");
  return yield* run(
    `UPDATE sources SET ${changed} WHERE workspace_id = $1` +
      (createdAt === undefined ? "" : ` AND created_at = $${keys.length + 2}`),
    workspace,
    ...keys.map((key) => values[key] ?? null),
    ...createdAt === undefined ? [] : [createdAt],
  );
}

function* change(workspace: string, values: Partial<Row>, entry: NewAuditEntry): Steps<boolean> {
  if ((yield* set(workspace, values)) === 0) return false;
  yield* insertEntry(entry);
  return true;
}

function rowOf({ by, hook, syncing, todo, ssh, signers, ...record }: SourceRecord): Row {
  return {
    ...record,
    byKind: by.kind,
    byId: by.id,
    byName: by.name,
    hookId: hook?.id ?? null,
    hookSecret: hook?.secret ?? null,
    syncing: jsonOf(syncing),
    todo: jsonOf(todo),
    ssh: jsonOf(ssh),
    signers: jsonOf(signers.length === 0 ? null : signers),
  };
}

const jsonOf = (value: unknown): string | null => value === null ? null : JSON.stringify(value);

function recordFrom(
  { byKind, byId, byName, syncing, hookId, hookSecret, todo, ssh, signers, ...row }: Row,
): SourceRecord {
  return {
    ...row,
    by: { kind: byKind, id: byId, name: byName },
    syncing: syncing === null ? null : JSON.parse(syncing), // as `put` and `sync` wrote it
    ssh: ssh === null ? null : JSON.parse(ssh), // as `put` wrote it
    signers: signers === null ? [] : JSON.parse(signers), // as `put` wrote it
    todo: todo === null ? null : JSON.parse(todo), // as `put` and `setAuto` wrote it
    hook: hookId === null || hookSecret === null ? null : { id: hookId, secret: hookSecret },
  };
}
