/**
 * The copy from one store to another: the rows of these tables, under the names that all stores give them.
 */

export type CopiedValue = null | number | string | Uint8Array;
export type CopiedRow = Readonly<Record<string, CopiedValue>>;

interface CopiedTable {
  readonly name: string;
  /** The columns that tell its rows apart: every copy has them in this order. */
  readonly order: readonly string[];
}

/** A table stands behind those that it refers to. */
export const COPIED: readonly CopiedTable[] = [
  { name: "workspaces", order: ["id"] },
  { name: "file_versions", order: ["id"] },
  { name: "accounts", order: ["id"] },
  { name: "password_links", order: ["account_id"] },
  { name: "keys", order: ["id"] },
  { name: "setup", order: ["id"] },
  { name: "sessions", order: ["id"] },
  { name: "refresh_tokens", order: ["hash"] },
  { name: "signing_keys", order: ["kid"] },
  { name: "audit", order: ["id"] },
  { name: "audit_chains", order: ["chain"] },
  { name: "audit_strangers", order: ["hour", "peer", "action", "result"] },
  { name: "audit_deliveries", order: ["receiver", "chain"] },
  { name: "commands", order: ["mark"] },
  { name: "offers", order: ["id"] },
  { name: "registries", order: ["id"] },
  { name: "update_rules", order: ["id"] },
  { name: "image_checks", order: ["reference"] },
  { name: "project_updates", order: ["workspace_id", "group_name"] },
  { name: "update_failures", order: ["workspace_id", "group_name", "unit", "digest"] },
  { name: "ignored", order: ["engine", "kind", "name"] },
  { name: "sources", order: ["workspace_id"] },
  { name: "claims", order: ["engine", "container"] },
  { name: "plans", order: ["id"] },
  { name: "applies", order: ["id"] },
  { name: "apply_lines", order: ["apply_id", "seq"] },
  { name: "incidents", order: ["id"] },
  { name: "endings", order: ["id"] },
  { name: "incident_lines", order: ["incident_id", "seq"] },
  { name: "notices", order: ["id"] },
  { name: "mutes", order: ["id"] },
  { name: "outbox", order: ["notice_id", "incident_id"] },
];

/** A store with a row in one of these is in use. */
export const IN_USE = ["setup", "workspaces", "accounts", "keys"] as const;
