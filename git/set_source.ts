/** The record of a source as somebody sets it, and what stays of the one before. */
import type { AuditActor } from "../core/audit_entry.ts";
import type { NewSource, SourceRecord } from "../core/source.ts";
import { mustBeSource } from "./address.ts";
import type { Repositories } from "./repositories.ts";
import { checkedSigners } from "./signatures.ts";

interface Asked {
  readonly workspace: string;
  readonly wanted: NewSource;
  /** The source that is set already. */
  readonly known: SourceRecord | null;
  readonly by: Pick<AuditActor, "kind" | "id" | "name">;
  readonly at: number;
}

interface SetSource {
  readonly record: SourceRecord;
  /** True if it is the same branch and folder of the same repository. */
  readonly isSame: boolean;
  readonly isSecret: boolean;
}

/** Throws `source_refused` for what berth cannot follow. */
export async function recordFor(
  { workspace, wanted, known, by, at }: Asked,
  repositories: Repositories,
): Promise<SetSource> {
  const secret = await repositories.credentialFor(wanted, known);
  const isKey = secret !== null && "secret" in secret;
  const url = mustBeSource({ ...wanted, credential: isKey ? wanted.credential : secret });
  const { branch, folder, policy } = wanted;
  const signers = wanted.signers === undefined
    ? known?.signers ?? []
    : await checkedSigners(wanted.signers ?? []);
  const isSame = known !== null && known.url === url && known.branch === branch && known.folder === folder;
  const isSigned = JSON.stringify(signers) === JSON.stringify(known?.signers);
  const record: SourceRecord = {
    workspace,
    url,
    branch,
    folder,
    policy,
    by: { kind: by.kind, id: by.id, name: by.name },
    createdAt: at,
    credential: await repositories.sealed(workspace, secret),
    ssh: isKey ? await repositories.sshOf(workspace, { ...wanted, url }, known, secret) : null,
    signers,
    hook: known?.hook ?? null,
    // Another folder of the repository, or another repository, has other files.
    synced: isSame ? known.synced : null,
    // Other signers may not have signed what was fetched for those before.
    head: isSame && isSigned ? known.head : null,
    syncing: null,
    checkedAt: null,
    error: null,
    failures: 0,
    waiting: null,
    todo: isSame && policy === "auto" ? leftOf(known) : null,
  };
  return { record, isSame, isSecret: secret !== null };
}

/** Returns what the policy `auto` has not applied yet: a new token or owner is also a word to try it again. */
function leftOf({ policy, todo }: SourceRecord): SourceRecord["todo"] {
  return policy === "auto" && todo !== null ? { ...todo, isTried: false } : null;
}

/** Returns what the audit log is told of a source. */
export function toldOf(
  { url, branch, folder, policy, signers }: SourceRecord,
  isSecret: boolean,
): Readonly<Record<string, string>> {
  const { host, pathname } = new URL(url);
  return {
    repository: `${host}${pathname}`,
    branch,
    folder,
    policy,
    credential: String(isSecret),
    ...(signers.length > 0 && { signers: signers.map(({ fingerprint }) => fingerprint).join(" ") }),
  };
}
