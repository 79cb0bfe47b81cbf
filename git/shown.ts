/** A source as callers see it, and what its newest commit would change. */
import type { Source, SourceRecord } from "../core/source.ts";
import type { Followed } from "./followed.ts";
import { pathOfHook } from "./source_hooks.ts";

/** Conflicts and skipped paths that are told one by one. */
const MOST_TOLD = 200;

/** Returns a source as far as the store alone can tell. */
export function shownOf(record: SourceRecord): Source {
  const { syncing, error, head, synced, checkedAt, credential, by, hook, waiting, ssh, signers } = record;
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
    signers: [...signers],
    checkedAt: checkedAt === null ? null : new Date(checkedAt).toISOString(),
    synced,
    head,
    rewritten: false,
    uncommitted: [],
    history: [],
    pending: null,
  };
}

/** Returns a source that has a head, with its commits and what a sync would do. Throws `SourceFailure`. */
export async function shownWith(record: SourceRecord, followed: Followed): Promise<Source> {
  const history = await followed.commits(record, true);
  const shown = {
    ...shownOf(record),
    history,
    uncommitted: await followed.uncommitted(record),
  };
  if (record.head === null || (record.head === record.synced && record.syncing === null)) return shown;
  const outlook = await followed.outlook(record, record.head);
  const isListed = history.some(({ id }) => id === record.synced);
  const rewritten = !isListed && await followed.isRewritten(record);
  const conflicts = outlook.decisions.filter(({ act }) => act === "conflict");
  return {
    ...shown,
    state: shown.state === "behind" && conflicts.length > 0 ? "conflict" : shown.state,
    rewritten,
    pending: {
      commits: await followed.commits(record, rewritten),
      groups: [...outlook.groups],
      conflicts: conflicts.slice(0, MOST_TOLD).map(({ path, why = "" }) => ({ path, why })),
      skipped: [...outlook.skipped].slice(0, MOST_TOLD),
      files: outlook.decisions.filter(({ act }) => act === "write" || act === "delete").length,
      isPart: false,
    },
  };
}
