/** The schema of the SQLite store, as the steps that led to it; a step that was released never changes. */

/** Step N brings `PRAGMA user_version` from N - 1 to N. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE workspaces (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    path TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL
  ) STRICT;

  CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    role TEXT CHECK (role IN ('viewer', 'operator', 'admin')),
    permissions TEXT NOT NULL CHECK (json_valid(permissions)),
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER
  ) STRICT;

  -- One row at most, and it is never deleted: it outlives the key it stands for.
  CREATE TABLE setup (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    key_id TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    email TEXT,
    picture TEXT,
    claims TEXT NOT NULL CHECK (json_valid(claims)),
    UNIQUE (issuer, subject)
  ) STRICT;

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    binding BLOB CHECK (binding IS NULL OR length(binding) = 32),
    ended_at INTEGER
  ) STRICT;
  CREATE INDEX sessions_by_end ON sessions (expires_at);

  CREATE TABLE refresh_tokens (
    hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    generation INTEGER NOT NULL,
    used_at INTEGER,
    sealed_successor BLOB,
    UNIQUE (session_id, generation)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE signing_keys (
    kid TEXT PRIMARY KEY,
    algorithm TEXT NOT NULL,
    public_key TEXT NOT NULL CHECK (json_valid(public_key)),
    sealed BLOB NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'active', 'retiring')),
    created_at INTEGER NOT NULL,
    since INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX one_active_signing_key ON signing_keys (state) WHERE state = 'active';
  CREATE UNIQUE INDEX one_pending_signing_key ON signing_keys (state) WHERE state = 'pending';

  CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT,
    result TEXT NOT NULL,
    request_id TEXT,
    peer TEXT
  ) STRICT;
  `,
];
