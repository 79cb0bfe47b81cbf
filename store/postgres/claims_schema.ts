/** The table of adopted containers: each belongs to a declared project because somebody said so. */

export const CLAIMS = `
  CREATE TABLE claims (
    id text COLLATE "C" NOT NULL UNIQUE,
    engine text COLLATE "C" NOT NULL,
    container text COLLATE "C" NOT NULL,
    name text NOT NULL,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    group_name text NOT NULL,
    project text NOT NULL,
    service text NOT NULL,
    folder text NOT NULL,
    file text NOT NULL,
    by_kind text NOT NULL,
    by_id text NOT NULL,
    by_name text NOT NULL,
    at bigint NOT NULL,
    gone_at bigint,
    PRIMARY KEY (engine, container)
  );
  `;
