/** A source as callers see it, as far as the store alone can tell. */
import type { Source, SourceRecord } from "../core/source.ts";
import { pathOfHook } from "./source_hooks.ts";

export function shownOf(record: SourceRecord): Source {
  const { syncing, error, head, synced, checkedAt, credential, by, hook, waiting, ssh } = record;
  const state = syncing !== null
    ? "syncing"
    : error !== null
    ? "failed"
    : waiting !== null
    ? "waiting"
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
    hook: hook === null ? null : pathOfHook(hook.id),
    setBy: by.name,
    state,
    error,
    waiting,
    ssh: ssh === null ? null : { ...ssh, hostKeys: [...ssh.hostKeys] },
    checkedAt: checkedAt === null ? null : new Date(checkedAt).toISOString(),
    synced,
    head,
    rewritten: false,
    uncommitted: [],
    history: [],
    pending: null,
  };
}
