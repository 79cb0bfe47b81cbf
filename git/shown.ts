/** A source as callers see it, as far as the store alone can tell. */
import type { Source, SourceRecord } from "../core/source.ts";

export function shownOf(record: SourceRecord): Source {
  const { syncing, error, head, synced, checkedAt, credential, by } = record;
  const state = syncing !== null
    ? "syncing"
    : error !== null
    ? "failed"
    : head === null
    ? "unchecked"
    : head === synced
    ? "synced"
    : "behind";
  return {
    workspace: record.workspace,
    url: record.url,
    branch: record.branch,
    folder: record.folder,
    policy: record.policy,
    hasCredential: credential !== null,
    setBy: by.name,
    state,
    error,
    checkedAt: checkedAt === null ? null : new Date(checkedAt).toISOString(),
    synced,
    head,
    rewritten: false,
    history: [],
    pending: null,
  };
}
