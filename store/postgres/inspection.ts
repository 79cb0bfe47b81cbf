/** Looks at a PostgreSQL store without changing it. */
import type { JournalEntry, KnownApply } from "../../core/applies.ts";
import { ServiceError } from "../../core/error.ts";
import { newClient, optionsOf, type PostgresSettings } from "./connection.ts";
import { asStoreError } from "./errors.ts";
import { MIGRATIONS } from "./migrations.ts";

export interface InspectedDatabase {
  /** The reason for which it cannot be inspected, or null. */
  readonly failure: string | null;
  /** `newer`: it takes a newer berth. */
  readonly state: "whole" | "absent" | "foreign" | "newer";
  readonly schema: number | null;
  readonly isSetUp: boolean;
  /** The folders of the registered workspaces. */
  readonly folders: readonly string[];
  /** The number of workspaces that follow a repository. */
  readonly sources: number;
  readonly applies: readonly KnownApply[];
  /** The fingerprint of the sealing key of all replicas, once one has started. */
  readonly fingerprint: string | null;
}

/** The newest schema that this berth knows. */
export const NEWEST_SCHEMA = MIGRATIONS.length;

export async function inspectDatabase(settings: PostgresSettings): Promise<InspectedDatabase> {
  const bare = {
    failure: null,
    schema: null,
    isSetUp: false,
    folders: [],
    sources: 0,
    applies: [],
    fingerprint: null,
  };
  let client: ReturnType<typeof newClient> | undefined;
  try {
    client = newClient(await optionsOf(settings));
    client.on("error", () => {});
    await client.connect();
    const rows = async <Row>(text: string) => (await client!.query({ text })).rows as Row[];
    const tables = (await rows<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = ANY (current_schemas(false))",
    )).map(({ name }) => name);
    if (tables.length === 0) return { ...bare, state: "absent" };
    if (!tables.includes("schema_version")) return { ...bare, state: "foreign" };
    const [row] = await rows<{ version: number; oldest: number }>(
      "SELECT version, oldest FROM schema_version",
    );
    const { version = 0, oldest = 0 } = row ?? {};
    if (oldest > NEWEST_SCHEMA) return { ...bare, schema: version, state: "newer" };
    return {
      failure: null,
      state: "whole",
      schema: version,
      isSetUp: (await rows("SELECT 1 FROM setup")).length > 0,
      folders: (await rows<{ path: string }>("SELECT path FROM workspaces")).map(({ path }) => path),
      sources: tables.includes("sources") ? (await rows("SELECT 1 FROM sources")).length : 0,
      applies: await knownApplies(rows),
      fingerprint: (await rows<{ fingerprint: string }>("SELECT fingerprint FROM sealing"))[0]?.fingerprint ??
        null,
    };
  } catch (thrown) {
    const error = asStoreError(thrown);
    if (!(error instanceof ServiceError)) throw thrown;
    return { ...bare, state: "absent", failure: error.message };
  } finally {
    await client?.end().catch(() => {});
  }
}

type Rows = <Row>(text: string) => Promise<Row[]>;

async function knownApplies(rows: Rows): Promise<KnownApply[]> {
  const found = await rows<Omit<KnownApply, "lines">>(
    "SELECT id, project, state, CASE WHEN state = 'paused' THEN work END AS work FROM applies",
  );
  const lines = await rows<JournalEntry & { apply: string }>(
    "SELECT l.apply_id AS apply, l.seq, l.at, l.kind, l.step, l.body FROM apply_lines l " +
      "JOIN applies a ON a.id = l.apply_id WHERE a.state = 'paused' ORDER BY l.seq",
  );
  return found.map((apply) => ({ ...apply, lines: lines.filter((line) => line.apply === apply.id) }));
}
