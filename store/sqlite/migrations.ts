/** The schema of the SQLite store, as the steps that led to it; a step that was released never changes. */
import { CLAIMS } from "./claims_schema.ts";
import { ENDINGS, INCIDENTS, MUTES, NOTICES } from "./incidents_schema.ts";
import { SOURCE_HOOKS, SOURCE_POLICIES, SOURCE_SIGNERS, SOURCE_SSH } from "./sources_schema.ts";
import { PROJECT_UPDATES } from "./updates_schema.ts";

/** "bert" in ASCII: tells our files from those of others. */
export const APPLICATION_ID = 0x62657274;

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
  // People who sign in here, grants in place of a role, keys that know who made them, and sessions of keys.
  `
  ALTER TABLE accounts ADD COLUMN grants TEXT CHECK (grants IS NULL OR json_valid(grants));
  ALTER TABLE accounts ADD COLUMN password TEXT;
  ALTER TABLE accounts ADD COLUMN created_at INTEGER;
  ALTER TABLE accounts ADD COLUMN last_seen_at INTEGER;
  ALTER TABLE accounts ADD COLUMN disabled_at INTEGER;

  -- One link a person, and it is gone once it was used.
  CREATE TABLE password_links (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    expires_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE granted_keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    previous_hash BLOB CHECK (previous_hash IS NULL OR length(previous_hash) = 32),
    previous_until INTEGER,
    grants TEXT NOT NULL CHECK (json_valid(grants)),
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    creator_kind TEXT CHECK (creator_kind IN ('user', 'apiKey')),
    creator_id TEXT,
    person_id TEXT REFERENCES accounts (id),
    expires_at INTEGER,
    sources TEXT NOT NULL CHECK (json_valid(sources)),
    last_used_at INTEGER,
    last_used_peer TEXT,
    warned_at INTEGER
  ) STRICT;
  INSERT INTO granted_keys (id, name, hash, grants, created_at, created_by, expires_at, sources, last_used_at)
    SELECT id, name, hash,
      CASE WHEN role IS NULL THEN json_array(json_object('permissions', json(permissions)))
        ELSE json_array(json_object('role', role)) END,
      created_at, created_by, expires_at, '[]', last_used_at
    FROM keys;
  DROP TABLE keys;
  ALTER TABLE granted_keys RENAME TO keys;
  CREATE INDEX keys_by_creator ON keys (creator_id);
  CREATE INDEX keys_by_person ON keys (person_id);

  ALTER TABLE setup RENAME COLUMN key_id TO admin_id;

  -- Both tables anew: dropping the sessions would delete the tokens that refer to them.
  CREATE TABLE held_sessions (
    id TEXT PRIMARY KEY,
    account_id TEXT REFERENCES accounts (id) ON DELETE CASCADE,
    key_id TEXT REFERENCES keys (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    proved_at INTEGER NOT NULL,
    peer TEXT,
    device TEXT,
    generation INTEGER NOT NULL,
    binding BLOB CHECK (binding IS NULL OR length(binding) = 32),
    ended_at INTEGER,
    CHECK ((account_id IS NULL) <> (key_id IS NULL))
  ) STRICT;
  INSERT INTO held_sessions (id, account_id, created_at, expires_at, last_used_at, proved_at, generation, binding, ended_at)
    SELECT id, account_id, created_at, expires_at, last_used_at, 0, generation, binding, ended_at FROM sessions;
  CREATE TABLE held_tokens (
    hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
    session_id TEXT NOT NULL REFERENCES held_sessions (id) ON DELETE CASCADE,
    generation INTEGER NOT NULL,
    used_at INTEGER,
    sealed_successor BLOB,
    UNIQUE (session_id, generation)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO held_tokens (hash, session_id, generation, used_at, sealed_successor)
    SELECT hash, session_id, generation, used_at, sealed_successor FROM refresh_tokens;
  DROP TABLE refresh_tokens;
  DROP TABLE sessions;
  ALTER TABLE held_sessions RENAME TO sessions;
  ALTER TABLE held_tokens RENAME TO refresh_tokens;
  CREATE INDEX sessions_by_end ON sessions (expires_at);
  CREATE INDEX sessions_by_account ON sessions (account_id);
  CREATE INDEX sessions_by_key ON sessions (key_id);
  `,
  // Commands in containers that may outlive the berth that started them.
  `
  CREATE TABLE commands (
    mark TEXT PRIMARY KEY,
    exec_id TEXT NOT NULL,
    backend TEXT NOT NULL,
    container TEXT NOT NULL,
    run_as TEXT NOT NULL,
    held_until INTEGER NOT NULL,
    hung_up INTEGER NOT NULL CHECK (hung_up IN (0, 1))
  ) STRICT;
  CREATE INDEX commands_by_hold ON commands (held_until);
  `,
  // Plans that were made, for a quarter of an hour each.
  `
  CREATE TABLE plans (
    id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    project TEXT NOT NULL,
    backend TEXT NOT NULL,
    creator_kind TEXT NOT NULL CHECK (creator_kind IN ('user', 'apiKey')),
    creator_id TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body))
  ) STRICT;
  CREATE INDEX plans_by_end ON plans (expires_at);
  `,
  // Files are written to only where an admin said so, and the texts before are kept, sealed.
  `
  ALTER TABLE workspaces ADD COLUMN editable INTEGER NOT NULL DEFAULT 0 CHECK (editable IN (0, 1));
  CREATE TABLE file_versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    by_kind TEXT NOT NULL,
    by_id TEXT NOT NULL,
    by_name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    size INTEGER NOT NULL,
    sealed BLOB NOT NULL
  ) STRICT;
  CREATE INDEX file_versions_by_path ON file_versions (workspace_id, path, id);
  `,
  // Applies, and their journals.
  `
  CREATE TABLE applies (
    id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL,
    group_name TEXT NOT NULL,
    project TEXT NOT NULL,
    backend TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'paused', 'done', 'failed', 'cancelled')),
    reason TEXT,
    wish TEXT CHECK (wish IN ('cancel', 'abandon')),
    work TEXT NOT NULL CHECK (json_valid(work)),
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    credential TEXT,
    created_at INTEGER NOT NULL,
    ended_at INTEGER,
    owner TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    lease_until INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX applies_in_hand ON applies (backend, project) WHERE state IN ('running', 'paused');
  CREATE INDEX applies_by_time ON applies (created_at, id);

  CREATE TABLE apply_lines (
    apply_id TEXT NOT NULL REFERENCES applies (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('step', 'log', 'state')),
    step INTEGER,
    body TEXT NOT NULL CHECK (json_valid(body)),
    PRIMARY KEY (apply_id, seq)
  ) STRICT, WITHOUT ROWID;
  `,
  // Lists that were shown to somebody and may be taken up once, as what a prune would remove.
  `
  CREATE TABLE offers (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body))
  ) STRICT;
  `,
  // Projects and containers that run, that no file declares, and that people have put aside.
  `
  CREATE TABLE ignored (
    engine TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('project', 'container')),
    name TEXT NOT NULL,
    by_kind TEXT NOT NULL,
    by_id TEXT NOT NULL,
    by_name TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (engine, kind, name)
  ) STRICT, WITHOUT ROWID;
  `,
  // Image registries, with their sealed credentials.
  `
  CREATE TABLE registries (
    id TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    path TEXT NOT NULL,
    login TEXT NOT NULL CHECK (login IN ('password', 'identityToken', 'none')),
    username TEXT,
    token_service TEXT,
    plain_http INTEGER NOT NULL CHECK (plain_http IN (0, 1)),
    ca TEXT,
    by_kind TEXT NOT NULL,
    by_id TEXT NOT NULL,
    by_name TEXT NOT NULL,
    at INTEGER NOT NULL,
    sealed BLOB,
    UNIQUE (host, path)
  ) STRICT;
  `,
  // The branches of Git repositories that workspaces follow.
  `
  CREATE TABLE sources (
    workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    branch TEXT NOT NULL,
    folder TEXT NOT NULL,
    policy TEXT NOT NULL,
    by_kind TEXT NOT NULL,
    by_id TEXT NOT NULL,
    by_name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    credential BLOB,
    synced TEXT,
    syncing TEXT CHECK (syncing IS NULL OR json_valid(syncing)),
    head TEXT,
    checked_at INTEGER,
    error TEXT,
    failures INTEGER NOT NULL
  ) STRICT;
  `,
  INCIDENTS,
  // Newer images: the rules in one row, and the answers of registries.
  `
  CREATE TABLE update_rules (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    cool_down_days INTEGER NOT NULL,
    revision INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE image_checks (
    reference TEXT PRIMARY KEY CHECK (length(reference) <= 1024),
    body TEXT NOT NULL CHECK (json_valid(body)),
    next_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  NOTICES,
  ENDINGS,
  CLAIMS,
  PROJECT_UPDATES,
  MUTES,
  SOURCE_HOOKS,
  SOURCE_POLICIES,
  SOURCE_SSH,
  SOURCE_SIGNERS,
  // Acts on services of swarms: roles gain permissions, and no table changes.
  "",
];
