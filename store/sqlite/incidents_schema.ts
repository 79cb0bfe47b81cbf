/** The tables of incidents: one open at most per subject, and each change of theirs as a line. */

export const INCIDENTS = `
  CREATE TABLE incidents (
    id TEXT PRIMARY KEY,
    subject TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    workspace TEXT,
    group_name TEXT,
    project TEXT,
    unit TEXT,
    engine TEXT,
    container TEXT,
    kind TEXT NOT NULL,
    since INTEGER NOT NULL,
    opened_at INTEGER NOT NULL,
    closed_at INTEGER,
    ended_by TEXT,
    endings INTEGER NOT NULL,
    line_count INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body))
  ) STRICT;
  CREATE UNIQUE INDEX incidents_open ON incidents (subject) WHERE closed_at IS NULL;
  CREATE INDEX incidents_by_time ON incidents (opened_at, id);
  CREATE INDEX incidents_by_revision ON incidents (revision);
  CREATE INDEX incidents_by_end ON incidents (closed_at);

  CREATE TABLE incident_lines (
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body)),
    PRIMARY KEY (incident_id, seq)
  ) STRICT, WITHOUT ROWID;
  `;

/** Targets that are told of incidents, and what they are still to be told. */
export const NOTICES = `
  CREATE TABLE notices (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    host TEXT NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body)),
    by_kind TEXT NOT NULL,
    by_id TEXT NOT NULL,
    by_name TEXT NOT NULL,
    at INTEGER NOT NULL,
    sealed BLOB NOT NULL
  ) STRICT;

  CREATE TABLE outbox (
    notice_id TEXT NOT NULL REFERENCES notices (id) ON DELETE CASCADE,
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'told', 'dead')),
    is_told INTEGER NOT NULL CHECK (is_told IN (0, 1)),
    due_at INTEGER NOT NULL,
    batch TEXT,
    first_at INTEGER,
    attempts INTEGER NOT NULL,
    refusals INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    problem TEXT,
    PRIMARY KEY (notice_id, incident_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX outbox_by_incident ON outbox (incident_id);
  CREATE INDEX outbox_by_batch ON outbox (batch) WHERE batch IS NOT NULL;
  `;

/** Endings of containers, with their sealed words. */
export const ENDINGS = `
  CREATE TABLE endings (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    engine TEXT NOT NULL,
    container_id TEXT NOT NULL,
    container TEXT NOT NULL,
    workspace TEXT REFERENCES workspaces (id) ON DELETE CASCADE,
    group_name TEXT,
    unit TEXT,
    started_from TEXT,
    project TEXT,
    exit_code INTEGER,
    out_of_memory INTEGER NOT NULL CHECK (out_of_memory IN (0, 1)),
    words TEXT NOT NULL,
    more INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    sealed BLOB
  ) STRICT;
  CREATE INDEX endings_by_time ON endings (at, id);
  CREATE INDEX endings_by_unit ON endings (workspace, unit, at);
  CREATE INDEX endings_by_bytes ON endings (at, id, bytes) WHERE bytes > 0;
  `;

/** Incidents of which nobody is told until a time. */
export const MUTES = `
  CREATE TABLE mutes (
    id TEXT PRIMARY KEY,
    until INTEGER NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body)),
    by_kind TEXT NOT NULL,
    by_id TEXT NOT NULL,
    by_name TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  `;
