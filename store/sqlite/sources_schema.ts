/** What the table of sources has gained since it came. */

/** The addresses that forges call after a push. */
export const SOURCE_HOOKS = `
  ALTER TABLE sources ADD COLUMN hook_id TEXT;
  ALTER TABLE sources ADD COLUMN hook_secret BLOB;
  CREATE UNIQUE INDEX sources_by_hook ON sources (hook_id);
  `;

/** What the policy `auto` of a source waits for, and has left to do. */
export const SOURCE_POLICIES = `
  ALTER TABLE sources ADD COLUMN waiting TEXT;
  ALTER TABLE sources ADD COLUMN todo TEXT CHECK (todo IS NULL OR json_valid(todo));
  `;

/** The open part of the deploy key of a source, and its server's keys. */
export const SOURCE_SSH = "ALTER TABLE sources ADD COLUMN ssh TEXT CHECK (ssh IS NULL OR json_valid(ssh));";

/** The keys of which one must have signed a commit of a source. */
export const SOURCE_SIGNERS =
  "ALTER TABLE sources ADD COLUMN signers TEXT CHECK (signers IS NULL OR json_valid(signers));";
