/** Containers that belong to a declared project because somebody said so. */
import type { Claim, ClaimStore } from "../../core/claims.ts";
import { ServiceError } from "../../core/error.ts";
import { insertEntry } from "./audit.ts";
import { all, get, lock, run, type Sql, type Steps, tell } from "./steps.ts";

type Row = Omit<Claim, "by"> & {
  readonly byKind: Claim["by"]["kind"];
  readonly byId: string;
  readonly byName: string;
};

const COLUMNS =
  'id, engine, container, name, workspace_id AS "workspace", group_name AS "group", project, service, folder, file, ' +
  'by_kind AS "byKind", by_id AS "byId", by_name AS "byName", at, gone_at AS "goneAt"';

export function sqlClaims(sql: Sql): ClaimStore {
  return {
    list: async () =>
      (await sql.read(() => all<Row>(`SELECT ${COLUMNS} FROM claims ORDER BY engine, container`))).map(
        ({ byKind, byId, byName, ...row }) => ({ ...row, by: { kind: byKind, id: byId, name: byName } }),
      ),
    add: (claims, most, entry) =>
      sql.write(function* () {
        yield* lock("plans");
        const count = yield* get<{ count: number }>("SELECT count(*) AS count FROM claims");
        if ((count?.count ?? 0) + claims.length > most) {
          throw new ServiceError(
            "too_many_claims",
            `Cannot adopt the containers: there would be more than ${most} adopted ones; end some of them first`,
          );
        }
        for (const claim of claims) {
          yield* mustBeFree(claim.engine, claim.container, claim.name);
          yield* insert(claim);
        }
        yield* insertEntry(entry);
        yield* tell(CLAIMS);
      }),
    move: (id, container, entry) =>
      sql.write(function* () {
        yield* lock("plans");
        const claim = yield* get<{ engine: string; name: string; container: string }>(
          "SELECT engine, name, container FROM claims WHERE id = $1",
          id,
        );
        if (claim === undefined) return false;
        if (claim.container !== container) yield* mustBeFree(claim.engine, container, claim.name);
        yield* run("UPDATE claims SET container = $2, gone_at = NULL WHERE id = $1", id, container);
        yield* insertEntry(entry);
        yield* tell(CLAIMS);
        return true;
      }),
    remove: (id, entry) =>
      sql.write(function* () {
        const removed = yield* run("DELETE FROM claims WHERE id = $1", id);
        if (removed > 0) {
          yield* insertEntry(entry);
          yield* tell(CLAIMS);
        }
        return removed > 0;
      }),
    note: (goneAt) =>
      sql.write(function* () {
        for (const [id, at] of goneAt) yield* run("UPDATE claims SET gone_at = $2 WHERE id = $1", id, at);
      }),
    forget: (ids) =>
      sql.write(function* () {
        for (const id of ids) yield* run("DELETE FROM claims WHERE id = $1", id);
        if (ids.length > 0) yield* tell(CLAIMS);
      }),
  };
}

/** The hint that claims came or went. */
const CLAIMS = "claims";

function* mustBeFree(engine: string, container: string, name: string): Steps<void> {
  const known = yield* get("SELECT 1 FROM claims WHERE engine = $1 AND container = $2", engine, container);
  if (known === undefined) return;
  throw new ServiceError(
    "already_claimed",
    `Cannot adopt "${name}": a project has this container already; look at its page`,
  );
}

function* insert(claim: Claim): Steps<void> {
  const { id, engine, container, name, workspace, group, project, service, folder, file, by, at, goneAt } =
    claim;
  yield* run(
    "INSERT INTO claims (id, engine, container, name, workspace_id, group_name, project, service, folder, file, " +
      "by_kind, by_id, by_name, at, gone_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
    id,
    engine,
    container,
    name,
    workspace,
    group,
    project,
    service,
    folder,
    file,
    by.kind,
    by.id,
    by.name,
    at,
    goneAt,
  );
}
