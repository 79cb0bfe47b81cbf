/** The schema of what people want of a project's newer images, and of the updates that went back. */
export const PROJECT_UPDATES = `
  CREATE TABLE project_updates (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    group_name TEXT NOT NULL,
    automatic INTEGER NOT NULL CHECK (automatic IN (0, 1)),
    hours TEXT CHECK (hours IS NULL OR json_valid(hours)),
    cool_down_days INTEGER,
    by_kind TEXT NOT NULL,
    by_id TEXT NOT NULL,
    by_name TEXT NOT NULL,
    at INTEGER NOT NULL,
    waits TEXT,
    went_back_at INTEGER,
    PRIMARY KEY (workspace_id, group_name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE update_failures (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    group_name TEXT NOT NULL,
    unit TEXT NOT NULL,
    digest TEXT NOT NULL,
    apply_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, group_name, unit, digest)
  ) STRICT, WITHOUT ROWID;
`;
