/** Mutes, until their time. */
import { ServiceError } from "../../core/error.ts";
import type { MuteRecord, MuteStore } from "../../core/mutes.ts";
import { insertEntry } from "./audit.ts";
import { all, get, run, type Sql, type Steps } from "./steps.ts";

interface Row extends Pick<MuteRecord, "id" | "until" | "at"> {
  readonly byKind: MuteRecord["by"]["kind"];
  readonly byId: string;
  readonly byName: string;
  /** The rest, as JSON. */
  readonly body: string;
}

export function sqlMutes(sql: Sql): MuteStore {
  return {
    list: (now) => sql.read(() => mutesAt(now)),
    add: ({ id, on, unit, incident, kinds, until, by, at }, most, now, entry) =>
      sql.write(function* () {
        yield* run("DELETE FROM mutes WHERE until <= $1", now);
        const count = yield* get<{ count: number }>("SELECT count(*) AS count FROM mutes");
        if ((count?.count ?? 0) >= most) {
          throw new ServiceError(
            "too_many_mutes",
            `Cannot mute it: there are ${most} mutes already; end one of them first`,
          );
        }
        yield* run(
          "INSERT INTO mutes (id, until, body, by_kind, by_id, by_name, at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
          id,
          until,
          JSON.stringify({ on, unit, incident, kinds }),
          by.kind,
          by.id,
          by.name,
          at,
        );
        yield* insertEntry(entry);
      }),
    remove: (id, entry) =>
      sql.write(function* () {
        const removed = yield* run("DELETE FROM mutes WHERE id = $1", id);
        if (removed > 0) yield* insertEntry(entry);
        return removed > 0;
      }),
  };
}

/** Returns the mutes that have not ended. */
function* mutesAt(now: number): Steps<MuteRecord[]> {
  const rows = yield* all<Row>(
    'SELECT id, until, body, by_kind AS "byKind", by_id AS "byId", by_name AS "byName", at FROM mutes ' +
      "WHERE until > $1 ORDER BY until, id",
    now,
  );
  return rows.map(({ byKind, byId, byName, body, ...row }) => ({
    ...row,
    ...JSON.parse(body) as Pick<MuteRecord, "on" | "unit" | "incident" | "kinds">,
    by: { kind: byKind, id: byId, name: byName },
  }));
}
