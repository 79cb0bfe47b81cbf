/** Commands that may still run. */
import type { CommandRecord, CommandStore } from "../../core/store.ts";
import { all, run, type Sql } from "./steps.ts";

type Row = Omit<CommandRecord, "hungUp"> & { readonly hungUp: boolean | number };

export function sqlCommands(sql: Sql): CommandStore {
  return {
    ...(sql.now === undefined ? {} : { now: sql.now }),
    left: (now) =>
      sql.read(function* () {
        const rows = yield* all<Row>(
          'SELECT mark, exec_id AS "execId", backend, container, run_as AS "user", held_until AS "heldUntil", ' +
            'hung_up AS "hungUp" FROM commands WHERE held_until <= $1 ORDER BY held_until, mark',
          now,
        );
        return rows.map((row) => ({ ...row, hungUp: Boolean(row.hungUp) }));
      }),
    add: ({ mark, execId, backend, container, user, heldUntil, hungUp }) =>
      sql.write(function* () {
        yield* run(
          "INSERT INTO commands (mark, exec_id, backend, container, run_as, held_until, hung_up) " +
            "VALUES ($1, $2, $3, $4, $5, $6, $7)",
          mark,
          execId,
          backend,
          container,
          user,
          heldUntil,
          hungUp,
        );
      }),
    hold: (marks, until) =>
      sql.write(function* () {
        yield* run(
          "UPDATE commands SET held_until = $1 FROM unnest($2::text[]) AS m (held) WHERE mark = m.held",
          until,
          marks,
        );
      }),
    leave: (mark, at, hungUp) =>
      sql.write(function* () {
        yield* run("UPDATE commands SET held_until = $1, hung_up = $2 WHERE mark = $3", at, hungUp, mark);
      }),
    forget: (mark) =>
      sql.write(function* () {
        yield* run("DELETE FROM commands WHERE mark = $1", mark);
      }),
  };
}
