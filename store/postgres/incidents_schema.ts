/** The tables of incidents: one open at most per subject, and each change of theirs as a line. */

export const INCIDENTS = `
  CREATE TABLE incidents (
    id text COLLATE "C" PRIMARY KEY,
    subject text COLLATE "C" NOT NULL,
    subject_kind text NOT NULL,
    workspace text,
    group_name text,
    project text,
    unit text,
    engine text,
    container text,
    kind text NOT NULL,
    since bigint NOT NULL,
    opened_at bigint NOT NULL,
    closed_at bigint,
    ended_by text,
    endings integer NOT NULL,
    line_count integer NOT NULL,
    revision bigint NOT NULL,
    body text NOT NULL
  );
  CREATE UNIQUE INDEX incidents_open ON incidents (subject) WHERE closed_at IS NULL;
  CREATE INDEX incidents_by_time ON incidents (opened_at, id);
  CREATE INDEX incidents_by_revision ON incidents (revision);
  CREATE INDEX incidents_by_end ON incidents (closed_at);

  CREATE TABLE incident_lines (
    incident_id text COLLATE "C" NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    seq integer NOT NULL,
    at bigint NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (incident_id, seq)
  );
  `;

/** Targets that are told of incidents, and what they are still to be told. */
export const NOTICES = `
  CREATE TABLE notices (
    id text COLLATE "C" PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    host text NOT NULL,
    body text NOT NULL,
    by_kind text NOT NULL,
    by_id text NOT NULL,
    by_name text NOT NULL,
    at bigint NOT NULL,
    sealed bytea NOT NULL
  );

  CREATE TABLE outbox (
    notice_id text COLLATE "C" NOT NULL REFERENCES notices (id) ON DELETE CASCADE,
    incident_id text COLLATE "C" NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    state text NOT NULL CHECK (state IN ('waiting', 'told', 'dead')),
    is_told integer NOT NULL CHECK (is_told IN (0, 1)),
    due_at bigint NOT NULL,
    batch text COLLATE "C",
    first_at bigint,
    attempts integer NOT NULL,
    refusals integer NOT NULL,
    next_at bigint NOT NULL,
    problem text,
    PRIMARY KEY (notice_id, incident_id)
  );
  CREATE INDEX outbox_by_incident ON outbox (incident_id);
  CREATE INDEX outbox_by_batch ON outbox (batch) WHERE batch IS NOT NULL;
  `;

/** Endings of containers, with their sealed words. */
export const ENDINGS = `
  CREATE TABLE endings (
    id text COLLATE "C" PRIMARY KEY,
    at bigint NOT NULL,
    engine text NOT NULL,
    container_id text NOT NULL,
    container text NOT NULL,
    workspace text COLLATE "C" REFERENCES workspaces (id) ON DELETE CASCADE,
    group_name text,
    unit text,
    started_from text,
    project text,
    exit_code integer,
    out_of_memory integer NOT NULL CHECK (out_of_memory IN (0, 1)),
    words text NOT NULL,
    more integer NOT NULL,
    bytes integer NOT NULL,
    sealed bytea
  );
  CREATE INDEX endings_by_time ON endings (at, id);
  CREATE INDEX endings_by_unit ON endings (workspace, unit, at);
  CREATE INDEX endings_by_bytes ON endings (at, id, bytes) WHERE bytes > 0;
  `;

/** Incidents of which nobody is told until a time. */
export const MUTES = `
  CREATE TABLE mutes (
    id text COLLATE "C" PRIMARY KEY,
    until bigint NOT NULL,
    body text NOT NULL,
    by_kind text NOT NULL,
    by_id text NOT NULL,
    by_name text NOT NULL,
    at bigint NOT NULL
  );
  `;
