/** The schema of what people want of a project's newer images, and of the updates that went back. */
export const PROJECT_UPDATES = `
  CREATE TABLE project_updates (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    group_name text COLLATE "C" NOT NULL,
    automatic boolean NOT NULL,
    hours text,
    cool_down_days integer,
    by_kind text NOT NULL,
    by_id text NOT NULL,
    by_name text NOT NULL,
    at bigint NOT NULL,
    waits text,
    went_back_at bigint,
    PRIMARY KEY (workspace_id, group_name)
  );

  CREATE TABLE update_failures (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    group_name text COLLATE "C" NOT NULL,
    unit text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    apply_id text NOT NULL,
    reason text NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (workspace_id, group_name, unit, digest)
  );
`;
