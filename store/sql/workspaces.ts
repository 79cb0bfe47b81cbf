/** Workspaces. */
import { ServiceError } from "../../core/error.ts";
import type { NewAuditEntry, WorkspaceRecord, WorkspaceStore } from "../../core/store.ts";
import { insertEntry } from "./audit.ts";
import { all, get, run, type Sql, type Steps } from "./steps.ts";

type Row = Omit<WorkspaceRecord, "allowHardLinks" | "editable"> & {
  readonly allowHardLinks: boolean | number;
  readonly editable: boolean | number;
};

const COLUMNS = 'id, name, path, created_at AS "createdAt", allow_hard_links AS "allowHardLinks", editable';

export function sqlWorkspaces(sql: Sql): WorkspaceStore {
  return {
    list: () =>
      sql.read(function* () {
        return (yield* all<Row>(`SELECT ${COLUMNS} FROM workspaces ORDER BY name, id`)).map(recordFrom);
      }),
    get: (id) =>
      sql.read(function* () {
        const row = yield* get<Row>(`SELECT ${COLUMNS} FROM workspaces WHERE id = $1`, id);
        return row === undefined ? null : recordFrom(row);
      }),
    add: (record, entry) => sql.write(() => add(record, entry)),
    change: (id, wish, entry) => sql.write(() => change(id, wish, entry)),
    remove: (id, entry) => sql.write(() => remove(id, entry)),
  };
}

function recordFrom(row: Row): WorkspaceRecord {
  return { ...row, allowHardLinks: Boolean(row.allowHardLinks), editable: Boolean(row.editable) };
}

const ADD =
  "INSERT INTO workspaces (id, name, path, created_at, allow_hard_links, editable) VALUES ($1, $2, $3, $4, $5, $6) " +
  "ON CONFLICT DO NOTHING";

function* add(record: WorkspaceRecord, entry: NewAuditEntry): Steps<void> {
  const { id, name, path, createdAt, allowHardLinks, editable } = record;
  const added = yield* run(ADD, id, name, path, createdAt, allowHardLinks, editable);
  if (added === 0) {
    throw new ServiceError(
      "workspace_exists",
      `Cannot register the workspace "${name}": its id or its folder is registered already`,
    );
  }
  yield* insertEntry(entry);
}

function* change(
  id: string,
  { allowHardLinks, editable }: Parameters<WorkspaceStore["change"]>[1],
  entry: NewAuditEntry,
): Steps<boolean> {
  const set = yield* run(
    "UPDATE workspaces SET allow_hard_links = coalesce($1, allow_hard_links), " +
      "editable = coalesce($2, editable) WHERE id = $3",
    allowHardLinks ?? null,
    editable ?? null,
    id,
  );
  if (set === 0) return false;
  yield* insertEntry(entry);
  return true;
}

function* remove(id: string, entry: NewAuditEntry): Steps<boolean> {
  if ((yield* run("DELETE FROM workspaces WHERE id = $1", id)) === 0) return false;
  yield* insertEntry(entry);
  return true;
}
