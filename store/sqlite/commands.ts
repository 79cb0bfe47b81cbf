/** Commands that may still run, in SQLite. */
import type { CommandRecord, CommandStore } from "../../core/store.ts";
import type { SqliteDatabase } from "./database.ts";

type Row = Omit<CommandRecord, "hungUp"> & { readonly hungUp: number };

export function sqliteCommands(database: SqliteDatabase): CommandStore {
  return {
    left: (now) =>
      database.read(() =>
        database.all<Row>(
          "SELECT mark, exec_id AS execId, backend, container, run_as AS user, held_until AS heldUntil, " +
            "hung_up AS hungUp FROM commands WHERE held_until <= ? ORDER BY held_until, mark",
          now,
        ).map((row) => ({ ...row, hungUp: row.hungUp === 1 }))
      ),
    add: ({ mark, execId, backend, container, user, heldUntil, hungUp }) =>
      database.write(() => {
        database.run(
          "INSERT INTO commands (mark, exec_id, backend, container, run_as, held_until, hung_up) " +
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
          mark,
          execId,
          backend,
          container,
          user,
          heldUntil,
          Number(hungUp),
        );
      }),
    hold: (marks, until) =>
      database.write(() => {
        for (const mark of marks) {
          database.run("UPDATE commands SET held_until = ? WHERE mark = ?", until, mark);
        }
      }),
    leave: (mark, at, hungUp) =>
      database.write(() => {
        database.run(
          "UPDATE commands SET held_until = ?, hung_up = ? WHERE mark = ?",
          at,
          Number(hungUp),
          mark,
        );
      }),
    forget: (mark) => database.write(() => void database.run("DELETE FROM commands WHERE mark = ?", mark)),
  };
}
