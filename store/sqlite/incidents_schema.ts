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
