/** Brings the schema of a PostgreSQL database up to date, beside replicas that may know less of it. */
import type { ServiceError } from "../../core/error.ts";
import { passing, unavailable } from "./errors.ts";
import { ALIVE, type Step } from "./migrations.ts";
import { LOCK_SPACE, type Transaction } from "./transaction.ts";

const MIGRATION_LOCK = 0;
/** The time that one statement of a step may take: a large table is written anew by some. */
export const STEP_MS = 600_000;

/**
 * Brings the schema up to date, inside a transaction in which all other replicas wait. Returns the schema that it found,
 * null for a new one or nothing to do. Throws `store_unavailable`.
 */
export async function migrate(tx: Transaction, steps: readonly Step[]): Promise<number | null> {
  await tx.all("SELECT pg_advisory_xact_lock($1, $2)", LOCK_SPACE, MIGRATION_LOCK);
  const { version, oldest } = await schemaOf(tx);
  if (version > steps.length) {
    if (oldest > steps.length) throw tooOld(version, oldest, steps.length);
    return null; // it only has more than we know
  }
  const missing = steps.slice(version);
  if (missing.length === 0) return null;
  const needs = Math.max(oldest, ...missing.map((step) => step.oldest));
  if (version > 0) await mustBeAlone(tx, needs, steps.length);
  await tx.run(`SET LOCAL statement_timeout = ${STEP_MS}`);
  for (const step of missing) for (const one of statements(step.sql)) await tx.run(one);
  await tx.run("UPDATE schema_version SET version = $1, oldest = $2", steps.length, needs);
  return version === 0 ? null : version;
}

/** Returns the error of a berth that does not know enough of the schema. */
export function tooOld(version: number, oldest: number, known: number): ServiceError {
  return unavailable(
    `its database has schema ${version}, which takes a berth that knows ${oldest}, and this one knows ${known}; ` +
      "start the newer berth",
  );
}

async function schemaOf(tx: Transaction): Promise<{ readonly version: number; readonly oldest: number }> {
  const ours = await tx.get<{ there: boolean }>("SELECT to_regclass('schema_version') IS NOT NULL AS there");
  if (ours?.there === true) {
    const sql = "SELECT version, oldest FROM schema_version";
    return await tx.get<{ version: number; oldest: number }>(sql) ?? { version: 0, oldest: 0 };
  }
  const others = await tx.get(
    "SELECT 1 FROM pg_tables WHERE schemaname = ANY (current_schemas(false)) LIMIT 1",
  );
  if (others !== undefined) {
    throw unavailable("its database holds the tables of another program; make one for berth alone");
  }
  await tx.run(
    "CREATE TABLE schema_version (id integer PRIMARY KEY CHECK (id = 1), version integer NOT NULL, oldest integer NOT NULL)",
  );
  await tx.run("INSERT INTO schema_version VALUES (1, 0, 0)");
  return { version: 0, oldest: 0 };
}

/** A step is taken only when every replica that runs knows enough to go on after it. */
async function mustBeAlone(tx: Transaction, needs: number, known: number): Promise<void> {
  const older = await tx.get<{ name: string; schema: number }>(
    `SELECT name, schema FROM replicas WHERE schema < $1 AND ${ALIVE} ORDER BY name LIMIT 1`,
    needs,
  );
  if (older !== undefined) {
    throw passing( // it ends, or counts as dead
      `the replica "${older.name}" still runs a berth that knows schema ${older.schema}, and schema ${known} takes one ` +
        `that knows ${needs}; stop it first, or start the version between`,
    );
  }
}

/** A statement that is prepared stands alone. No step holds a semicolon elsewhere than at its end. */
function statements(sql: string): string[] {
  return sql.replaceAll(/--.*$/gm, "").split(";").map((one) => one.trim()).filter((one) => one !== "");
}
