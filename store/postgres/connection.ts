/** The driver, and how it reaches the database. */
import pg from "pg";
import { unavailable } from "./errors.ts";

export interface PostgresSettings {
  /** A name or an address; the folder of a socket begins with a slash. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly name: string;
  readonly passwordFile: string | null;
  /** A PEM file; null for the authorities of the system. */
  readonly ca: string | null;
  /** Connections at most; one more listens. */
  readonly pool: number;
}

const CONNECT_MS = 5_000;
const STATEMENT_MS = 5_000;
/** Longer than the server's own limit, for a server that says nothing at all. */
const ANSWER_MS = 7_000;
/** A replica that froze inside a transaction holds no locks for longer. */
const IDLE_IN_TRANSACTION_MS = 10_000;

/** The parts of the driver that are used; it brings no types. */
export interface Result {
  readonly rows: unknown[];
  readonly rowCount: number | null;
}
export interface Client {
  query(
    query: { name?: string; text: string; values?: readonly unknown[]; query_timeout?: number },
  ): Promise<Result>;
  on(event: "error", heard: (error: Error) => void): void;
  on(event: "notification", heard: (message: { payload?: string }) => void): void;
  on(event: "end", heard: () => void): void;
  connect(): Promise<void>;
  end(): Promise<void>;
}
export interface PooledClient extends Client {
  /** With an error, the connection is closed and not used again. */
  release(error?: Error): void;
}
export interface Pool {
  connect(): Promise<PooledClient>;
  on(event: "error" | "connect", heard: (value: never) => void): void;
  end(): Promise<void>;
}

const BIGINT = 20;
const BYTEA = 17;
/** `bigint` comes as text, and bytes as a kind of their own. All our numbers are safe ones. */
const types = {
  getTypeParser: (type: number, format?: string): unknown =>
    type === BIGINT
      ? Number
      : type === BYTEA
      ? (text: string) => Uint8Array.fromHex(text.slice("\\x".length))
      : pg.types.getTypeParser(type, format),
};

/** A client that is not connected yet. */
export function newClient(options: Record<string, unknown>): Client {
  return new pg.Client(options);
}

export function newPool(options: Record<string, unknown>): Pool {
  return new pg.Pool(options);
}

/** Returns the driver's options for these settings. */
export async function optionsOf(settings: PostgresSettings): Promise<Record<string, unknown>> {
  const { host, port, user, name, passwordFile, ca } = settings;
  const isHere = host.startsWith("/") || host === "localhost" || host === "::1" ||
    /^127(\.\d{1,3}){3}$/.test(host);
  return {
    host,
    port,
    user,
    database: name,
    // Read for every connection, so that a new password needs no restart. Always given: the driver would look elsewhere.
    password: () => readPassword(passwordFile),
    ssl: isHere && ca === null
      ? false
      : { rejectUnauthorized: true, host, ...(ca === null ? {} : { ca: await readCa(ca) }) },
    application_name: "berth",
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    types,
  };
}

async function readPassword(file: string | null): Promise<string> {
  if (file === null) return "";
  try {
    return (await Deno.readTextFile(file)).trim();
  } catch (cause) {
    throw unavailable('the file of "BERTH_DATABASE_PASSWORD_FILE" cannot be read', cause);
  }
}

async function readCa(file: string): Promise<string> {
  try {
    return await Deno.readTextFile(file);
  } catch (cause) {
    throw unavailable('the file of "BERTH_DATABASE_CA" cannot be read', cause);
  }
}
