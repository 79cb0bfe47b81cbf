/** The errors of PostgreSQL, its driver and the connection, in sentences that say what to do. */
import { ServiceError } from "../../core/error.ts";

export function unavailable(why: string, cause?: unknown): ServiceError {
  return new ServiceError("store_unavailable", `Cannot use the store: ${why}`, { cause });
}

const MEND_ADDRESS = "start PostgreSQL, or correct BERTH_DATABASE_URL";
const REFUSED =
  "its database refuses the user or the password; look at BERTH_DATABASE_URL and BERTH_DATABASE_PASSWORD_FILE";
const STARTING = "its database is starting or stopping; it is tried again with the next request";
const MUTE = "its database does not answer; look at the server and the way to it";
const READ_ONLY = "its database takes no changes, as a standby does; name the primary in BERTH_DATABASE_URL";
const LOST = "the connection to its database was lost; it is opened again with the next request";
const UNTRUSTED =
  "the certificate of its database is not trusted; name the file of its authority in BERTH_DATABASE_CA";

/** By the code of PostgreSQL, or of the system. */
const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: `nothing listens at the address of its database; ${MEND_ADDRESS}`,
  ENOENT: `there is no socket of a database at that place; ${MEND_ADDRESS}`,
  EACCES: "the socket of its database may not be used by this user",
  ENOTFOUND: `the host of its database is not known; ${MEND_ADDRESS}`,
  EAI_AGAIN: `the host of its database is not known; ${MEND_ADDRESS}`,
  EHOSTUNREACH: `the host of its database cannot be reached; ${MEND_ADDRESS}`,
  ENETUNREACH: `the host of its database cannot be reached; ${MEND_ADDRESS}`,
  ETIMEDOUT: MUTE,
  "28P01": REFUSED,
  "28000": REFUSED,
  "3D000": 'its database does not exist on that server; make it ("createdb"), or correct BERTH_DATABASE_URL',
  "3F000":
    'its user may not make tables there; make them the owner of the database ("ALTER DATABASE … OWNER TO …")',
  "42501":
    'its user may not use these tables; make them the owner of the database ("ALTER DATABASE … OWNER TO …")',
  "53100": "the disk of its database is full; make room there",
  "53200": "its database is short of memory",
  "53300": "its database has no connection left; raise max_connections there",
  "25006": READ_ONLY,
  "55P03": "others hold its locks for too long",
  "57014": "a statement took its database longer than five seconds",
  "57P01": STARTING,
  "57P02": STARTING,
  "57P03": STARTING,
  "XX001": "its database is damaged; restore a backup",
  "XX002": "its database is damaged; restore a backup",
  CERT_HAS_EXPIRED: "the certificate of its database has expired; renew it there",
};

/** Errors without a code of their own. */
const BY_WORDS: readonly (readonly [words: RegExp, why: string])[] = [
  [
    /does not support SSL/i,
    "its database offers no TLS, which a host other than this one needs; set ssl = on there",
  ],
  [/SASL|password must be a string/i, REFUSED],
  [/expired/i, "the certificate of its database has expired; renew it there"],
  [
    /altname|not valid for|NotValidForName/i,
    "the certificate of its database is for another name than BERTH_DATABASE_URL says",
  ],
  [/self[- ]signed|unable to (verify|get)|UnknownIssuer|certificate/i, UNTRUSTED],
  [/timeout|timed out/i, MUTE],
  [/terminated|closed|reset|ended|not queryable|broken pipe/i, LOST],
];

/** Errors that may pass by themselves: a server that starts, a full disk, a standby that becomes the primary. */
const PASSING =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|25006|40...|53...|55P03|57014|57P0.|08...)$/;

/** An error that may pass by itself: a supervisor starts berth again after it. */
export function passing(why: string, cause?: unknown): ServiceError {
  const headers = { "retry-after": "1" };
  return new ServiceError("store_unavailable", `Cannot use the store: ${why}`, { cause, headers });
}

const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Data or statements that can never be right: a defect of ours, and no state of the database. */
const DEFECT = /^(?:22|23|42)/;

/** Anything that PostgreSQL or the way to it is to blame for, as `store_unavailable`; all else as it was. */
export function asStoreError(thrown: unknown): unknown {
  if (thrown instanceof ServiceError || !(thrown instanceof Error)) return thrown;
  const code = codeOf(thrown);
  const known = BY_CODE[code];
  const say = PASSING.test(code) ? passing : unavailable;
  if (known !== undefined) return say(known, thrown);
  if (SQLSTATE.test(code) && !code.startsWith("E")) {
    return DEFECT.test(code) ? thrown : say("its database failed", thrown);
  }
  const why = BY_WORDS.find(([words]) => words.test(`${code} ${thrown.message}`))?.[1];
  if (why === MUTE || why === LOST) return passing(why, thrown);
  if (why !== undefined) return unavailable(why, thrown);
  return code === "" ? thrown : say("its database cannot be reached", thrown);
}

/** Two were in each other's way, and one had to give in. */
export function isToBeRepeated(thrown: unknown): boolean {
  return ["40001", "40P01"].includes(codeOf(thrown));
}

export function isLackOfRoom(thrown: unknown): boolean {
  return codeOf(thrown) === "53100";
}

/** Returns true if the connection is of no use any more. */
export function isConnectionLost(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || thrown instanceof ServiceError) return false;
  const code = codeOf(thrown);
  if (SQLSTATE.test(code) && !code.startsWith("E")) return /^(?:08|57P0)/.test(code);
  return true;
}

/**
 * Returns true if the connection was ended, so that another one may work at once; a silent one would only
 * make the caller wait again.
 */
export function isDropped(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || thrown instanceof ServiceError) return false;
  const code = codeOf(thrown);
  return /^(?:08|57P01|57P02)/.test(code) || ["ECONNRESET", "EPIPE"].includes(code) ||
    /terminated unexpectedly|not queryable|Client has encountered/.test(thrown.message);
}

function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "";
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  // A name with several addresses: each was tried.
  return thrown instanceof AggregateError ? codeOf(thrown.errors[0]) : "";
}
