/** The texts of `sql/`, carried out in SQLite: translated once, and without a pause between the steps. */
import type { SQLInputValue, StatementSync } from "node:sqlite";
import type { Scalar, Sql, Step, Steps, Value } from "../sql/steps.ts";
import type { SqliteDatabase } from "./database.ts";

interface Known {
  /** The text for SQLite. The database keeps its statement, and drops it when it is closed. */
  readonly text: string;
  /** True if it runs once for each row of its arrays, which PostgreSQL takes apart with `unnest`. */
  readonly isForEach: boolean;
}

export function sqliteSql(database: SqliteDatabase): Sql {
  const known = new Map<string, Known>();
  const prepared = (sql: string): { readonly statement: StatementSync; readonly isForEach: boolean } => {
    let found = known.get(sql);
    if (found === undefined) {
      found = { text: translated(sql), isForEach: sql.includes("unnest(") };
      known.set(sql, found);
    }
    return { statement: database.prepared(found.text), isForEach: found.isForEach };
  };
  const answer = (step: Step): unknown => {
    if (step.kind === "run") {
      const { statement, isForEach } = prepared(step.sql);
      return isForEach ? runEach(statement, step.values) : runOnce(statement, step.values);
    }
    if (step.kind === "all") {
      const rows = prepared(step.sql).statement.all(...bound(step.values));
      // Rows of SQLite have no prototype, which deep comparisons and some serialisers stumble over.
      return rows.map((row) => ({ ...row }));
    }
    // A write makes all others wait, and there is no replica to tell.
    return undefined;
  };
  const finish = <T>(steps: Steps<T>): T => {
    let next = steps.next();
    while (next.done !== true) next = steps.next(answer(next.value));
    return next.value;
  };
  return {
    read: (steps) => database.read(() => finish(steps())),
    write: (steps) => database.write(() => finish(steps())),
  };
}

function runOnce(statement: StatementSync, values: readonly Value[]): number {
  return Number(statement.run(...bound(values)).changes);
}

function runEach(statement: StatementSync, values: readonly Value[]): number {
  const isColumn = (value: Value): value is readonly Scalar[] => Array.isArray(value);
  let changed = 0;
  for (let row = 0; row < (values.find(isColumn)?.length ?? 0); row++) {
    changed += runOnce(statement, values.map((value) => isColumn(value) ? value[row] ?? null : value));
  }
  return changed;
}

/** SQLite has no booleans. Arrays were taken apart before. A loop, since most values stay as they are. */
function bound(values: readonly Value[]): readonly SQLInputValue[] {
  for (let at = 0; at < values.length; at++) {
    if (typeof values[at] !== "boolean") continue;
    return values.map((value) => typeof value === "boolean" ? Number(value) : value as SQLInputValue);
  }
  return values as readonly SQLInputValue[];
}

/** In this order: later ones see what earlier ones have made. */
const TRANSLATIONS: readonly (readonly [RegExp, string | ((...found: string[]) => string)])[] = [
  [/ FOR (?:UPDATE|SHARE|KEY SHARE)(?: SKIP LOCKED)?\b/g, ""],
  [/\bunnest\(([^)]*)\)( AS \w+)(?: \(([^)]*)\))?/g, (_, columns, alias, names) => {
    const named = names?.split(", ").map((name) => ` AS ${name}`) ?? [];
    return `(SELECT ${
      columns!.split(", ").map((column, at) => column + (named[at] ?? "")).join(", ")
    })${alias}`;
  }],
  [/\bjsonb_array_elements\(([\w.]+)::jsonb\)( AS \w+) \(value\)/g, "json_each($1)$2"],
  // The order in which rows were added.
  [/\bplace\b/g, "rowid"],
  // Columns are STRICT, so a parameter needs no type.
  [/\$(\d+)(?:::\w+(?:\[\])?)?/g, "?$1"],
];

/** Returns the text for SQLite. */
export function translated(sql: string): string {
  return TRANSLATIONS.reduce(
    (text, [from, to]) => typeof to === "string" ? text.replace(from, to) : text.replace(from, to),
    sql,
  );
}
