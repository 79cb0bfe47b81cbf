/** Image registries, with their sealed credentials. */
import { ServiceError } from "../../core/error.ts";
import type { RegistryRecord, RegistryStore } from "../../core/registries.ts";
import { insertEntry } from "./audit.ts";
import { all, get, run, type Sql } from "./steps.ts";

type Row = Omit<RegistryRecord, "by" | "plainHttp"> & {
  readonly plainHttp: boolean | number;
  readonly byKind: RegistryRecord["by"]["kind"];
  readonly byId: string;
  readonly byName: string;
};

const COLUMNS =
  'id, host, path, login, username, token_service AS "tokenService", plain_http AS "plainHttp", ca, ' +
  'by_kind AS "byKind", by_id AS "byId", by_name AS "byName", at, sealed';

export function sqlRegistries(sql: Sql): RegistryStore {
  return {
    list: async () =>
      (await sql.read(() => all<Row>(`SELECT ${COLUMNS} FROM registries ORDER BY host, path`))).map(
        ({ byKind, byId, byName, plainHttp, ...row }) => ({
          ...row,
          plainHttp: Boolean(plainHttp),
          by: { kind: byKind, id: byId, name: byName },
        }),
      ),
    put: ({ by, ...record }, most, entry) =>
      sql.write(function* () {
        yield* run("DELETE FROM registries WHERE host = $1 AND path = $2", record.host, record.path);
        const count = yield* get<{ count: number }>("SELECT count(*) AS count FROM registries");
        if ((count?.count ?? 0) >= most) {
          throw new ServiceError(
            "too_many_registries",
            `Cannot store "${record.host}": ${most} registries are known already; forget one of them first`,
          );
        }
        yield* run(
          "INSERT INTO registries (id, host, path, login, username, token_service, plain_http, ca, by_kind, by_id, " +
            "by_name, at, sealed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
          record.id,
          record.host,
          record.path,
          record.login,
          record.username,
          record.tokenService,
          record.plainHttp,
          record.ca,
          by.kind,
          by.id,
          by.name,
          record.at,
          record.sealed,
        );
        yield* insertEntry(entry);
      }),
    remove: (id, entry) =>
      sql.write(function* () {
        const removed = yield* run("DELETE FROM registries WHERE id = $1", id);
        if (removed > 0) yield* insertEntry(entry);
        return removed > 0;
      }),
  };
}
