/** Notices, with their sealed addresses, and their outbox. */
import { ServiceError } from "../../core/error.ts";
import type { NoticeRecord, NoticeStore } from "../../core/notices.ts";
import { insertEntry } from "./audit.ts";
import { sqlOutbox, tellFirst } from "./outbox.ts";
import { all, get, run, type Sql } from "./steps.ts";

interface Row extends Pick<NoticeRecord, "id" | "name" | "kind" | "host" | "at" | "sealed"> {
  readonly byKind: NoticeRecord["by"]["kind"];
  readonly byId: string;
  readonly byName: string;
  /** The rest, as JSON. */
  readonly body: string;
}

const COLUMNS =
  'id, name, kind, host, body, by_kind AS "byKind", by_id AS "byId", by_name AS "byName", at, sealed';

export function sqlNotices(sql: Sql): NoticeStore {
  return {
    list: async () =>
      (await sql.read(() => all<Row>(`SELECT ${COLUMNS} FROM notices ORDER BY name, id`))).map(
        ({ byKind, byId, byName, body, ...row }) => ({
          ...row,
          ...JSON.parse(body) as Pick<NoticeRecord, "tells" | "on" | "afterS" | "quiet">,
          by: { kind: byKind, id: byId, name: byName },
        }),
      ),
    add: ({ id, name, kind, host, tells, on, afterS, quiet, by, at, sealed }, most, entry) =>
      sql.write(function* () {
        const count = yield* get<{ count: number }>("SELECT count(*) AS count FROM notices");
        if ((count?.count ?? 0) >= most) {
          throw new ServiceError(
            "too_many_notices",
            `Cannot add "${name}": there are ${most} notices already; remove one of them first`,
          );
        }
        yield* run(
          "INSERT INTO notices (id, name, kind, host, body, by_kind, by_id, by_name, at, sealed) " +
            "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
          id,
          name,
          kind,
          host,
          JSON.stringify({ tells, on, afterS, quiet }),
          by.kind,
          by.id,
          by.name,
          at,
          sealed,
        );
        yield* tellFirst(id);
        yield* insertEntry(entry);
      }),
    remove: (id, entry) =>
      sql.write(function* () {
        const removed = yield* run("DELETE FROM notices WHERE id = $1", id);
        if (removed > 0) yield* insertEntry(entry);
        return removed > 0;
      }),
    ...sqlOutbox(sql),
  };
}
