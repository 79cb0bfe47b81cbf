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
  // The audit log in two sealed chains; what was there gets its place and its seal like everything new.
  `
  ALTER TABLE audit ADD COLUMN chain TEXT NOT NULL DEFAULT 'changes' CHECK (chain IN ('changes', 'refusals'));
  UPDATE audit SET chain = 'refusals' WHERE result <> 'done';
  ALTER TABLE audit ADD COLUMN credential TEXT;
  ALTER TABLE audit ADD COLUMN particulars TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(particulars));
  ALTER TABLE audit ADD COLUMN count INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE audit ADD COLUMN seq INTEGER;
  ALTER TABLE audit ADD COLUMN mac BLOB CHECK ((mac IS NULL) = (seq IS NULL));
  CREATE UNIQUE INDEX audit_by_seq ON audit (chain, seq) WHERE seq IS NOT NULL;
  CREATE INDEX audit_by_actor ON audit (actor_id, id);
  CREATE INDEX audit_by_action ON audit (action, id);
  CREATE INDEX audit_by_result ON audit (result, id);
  CREATE INDEX audit_unsealed ON audit (at, id) WHERE seq IS NULL;
  CREATE INDEX audit_of_known ON audit (chain, seq) WHERE seq IS NOT NULL AND actor_kind <> 'anonymous';

  -- Where each chain ends, and the last entry that was forgotten, on which the oldest one stands.
  CREATE TABLE audit_chains (
    chain TEXT PRIMARY KEY CHECK (chain IN ('changes', 'refusals')),
    seq INTEGER NOT NULL,
    mac BLOB NOT NULL,
    floor_seq INTEGER NOT NULL,
    floor_mac BLOB NOT NULL,
    proof BLOB NOT NULL
  ) STRICT;
  INSERT INTO audit_chains VALUES
    ('changes', 0, zeroblob(32), 0, zeroblob(32), x''), ('refusals', 0, zeroblob(32), 0, zeroblob(32), x'');

  -- Refusals of strangers, counted until their hour is over.
  CREATE TABLE audit_strangers (
    hour INTEGER NOT NULL,
    peer TEXT NOT NULL,
    action TEXT NOT NULL,
    result TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (hour, peer, action, result)
  ) STRICT, WITHOUT ROWID;

  -- Up to where receivers outside have taken each chain.
  CREATE TABLE audit_deliveries (
    receiver TEXT NOT NULL,
    chain TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (receiver, chain)
  ) STRICT, WITHOUT ROWID;
  `,
  // A file with several hard links is read only where an admin said so.
  `
  ALTER TABLE workspaces ADD COLUMN allow_hard_links INTEGER NOT NULL DEFAULT 0 CHECK (allow_hard_links IN (0, 1));
  `,
];
