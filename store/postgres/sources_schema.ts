/** The tables of the Git branches that workspaces follow, as they came. */

export const SOURCES = `
  -- The branches of Git repositories that workspaces follow.
  CREATE TABLE sources (
    workspace_id text COLLATE "C" PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    url text NOT NULL,
    branch text NOT NULL,
    folder text NOT NULL,
    policy text NOT NULL,
    by_kind text NOT NULL,
    by_id text NOT NULL,
    by_name text NOT NULL,
    created_at bigint NOT NULL,
    credential bytea,
    synced text,
    syncing text,
    head text,
    checked_at bigint,
    error text,
    failures integer NOT NULL
  );
  `;

export const SOURCE_HOOKS = `
  -- The addresses that forges call after a push.
  ALTER TABLE sources ADD COLUMN hook_id text COLLATE "C" UNIQUE;
  ALTER TABLE sources ADD COLUMN hook_secret bytea;
  `;

export const SOURCE_POLICIES = `
  -- What the policy auto of a source waits for, and has left to do.
  ALTER TABLE sources ADD COLUMN waiting text;
  ALTER TABLE sources ADD COLUMN todo text;
  `;

export const SOURCE_SSH = `
  -- The open part of the deploy key of a source, and its server's keys.
  ALTER TABLE sources ADD COLUMN ssh text;
  `;

export const SOURCE_SIGNERS = `
  -- The keys of which one must have signed a commit of a source.
  ALTER TABLE sources ADD COLUMN signers text;
  `;
