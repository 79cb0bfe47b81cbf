/** The texts of `sql/`, carried out in PostgreSQL step by step. */
import type { Sql, Step, Steps } from "../sql/steps.ts";
import type { PostgresDatabase } from "./database.ts";
import { timeOf } from "./migrations.ts";
import type { Queries, Transaction } from "./transaction.ts";

export function postgresSql(database: PostgresDatabase): Sql {
  return {
    read: (steps) => finish(steps(), (step) => answer(database, step)),
    write: (steps) => database.write((tx) => finish(steps(), (step) => answerInside(tx, step))),
    now: () => timeOf(database),
  };
}

async function finish<T>(steps: Steps<T>, answer: (step: Step) => Promise<unknown>): Promise<T> {
  let next = steps.next();
  while (next.done !== true) next = steps.next(await answer(next.value));
  return next.value;
}

function answer(queries: Queries, step: Step): Promise<unknown> {
  if (step.kind === "all") return queries.all(step.sql, ...step.values);
  throw new Error(`a read asked for "${step.kind}"`);
}

function answerInside(tx: Transaction, step: Step): Promise<unknown> {
  switch (step.kind) {
    case "all":
      return tx.all(step.sql, ...step.values);
    case "run":
      return tx.run(step.sql, ...step.values);
    case "lock":
      return tx.lock(step.what);
    case "tell":
      return tx.tell(step.hint);
    case "shared":
      return tx.run(step.sql);
  }
}
