/** The table of adopted containers: each belongs to a declared project because somebody said so. */

export const CLAIMS = `
  CREATE TABLE claims (
    id TEXT NOT NULL UNIQUE,
    engine TEXT NOT NULL,
    container TEXT NOT NULL,
    name TEXT NOT NULL,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    group_name TEXT NOT NULL,
    project TEXT NOT NULL,
    service TEXT NOT NULL,
    folder TEXT NOT NULL,
    file TEXT NOT NULL,
    by_kind TEXT NOT NULL,
    by_id TEXT NOT NULL,
    by_name TEXT NOT NULL,
    at INTEGER NOT NULL,
    gone_at INTEGER,
    PRIMARY KEY (engine, container)
  ) STRICT, WITHOUT ROWID;
  `;
