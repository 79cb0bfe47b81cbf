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
