/** Commands that may still run, in PostgreSQL. */
import type { CommandRecord, CommandStore } from "../../core/store.ts";
import type { PostgresDatabase } from "./database.ts";
import { timeOf } from "./migrations.ts";

export function postgresCommands(database: PostgresDatabase): CommandStore {
  return {
    now: () => timeOf(database),
    left: (now) =>
      database.all<CommandRecord>(
        'SELECT mark, exec_id AS "execId", backend, container, run_as AS "user", held_until AS "heldUntil", ' +
          'hung_up AS "hungUp" FROM commands WHERE held_until <= $1 ORDER BY held_until, mark',
        now,
      ),
    add: async ({ mark, execId, backend, container, user, heldUntil, hungUp }) => {
      await database.run(
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
    },
    hold: async (marks, until) => {
      await database.run("UPDATE commands SET held_until = $1 WHERE mark = ANY ($2::text[])", until, marks);
    },
    leave: async (mark, at, hungUp) => {
      await database.run(
        "UPDATE commands SET held_until = $1, hung_up = $2 WHERE mark = $3",
        at,
        hungUp,
        mark,
      );
    },
    forget: async (mark) => {
      await database.run("DELETE FROM commands WHERE mark = $1", mark);
    },
  };
}
