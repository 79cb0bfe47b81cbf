/** The rows that both stores select, and the records that are made of them. */
import type { Grant } from "../../core/access.ts";
import type { ApplyRecord } from "../../core/applies.ts";
import type { AccountRecord, KeyCreator, KeyRecord, PersonRecord } from "../../core/access_store.ts";
import type { AuditEntry } from "../../core/audit_store.ts";
import type { AuditActor, AuditChain, FileVersion, PlanRecord } from "../../core/store.ts";

export interface AccountRow extends Omit<AccountRecord, "grants"> {
  readonly grants: string | null;
}

export function accountFrom(row: AccountRow): AccountRecord {
  const { id, issuer, subject, name, email, picture, claims, grants, createdAt, lastSeenAt, disabledAt } =
    row;
  return {
    id,
    issuer,
    subject,
    name,
    email,
    picture,
    claims,
    // Written by us alone, from a checked list.
    grants: grants === null ? null : JSON.parse(grants) as Grant[],
    createdAt,
    lastSeenAt,
    disabledAt,
  };
}

export type ApplyRow = Omit<ApplyRecord, "by"> & {
  readonly actorKind: AuditActor["kind"];
  readonly actorId: string;
  readonly actorName: string;
};

export const applyFrom = ({ actorKind, actorId, actorName, ...rest }: ApplyRow): ApplyRecord => ({
  ...rest,
  by: { kind: actorKind, id: actorId, name: actorName },
});

export interface EntryRow {
  readonly id: number;
  readonly chain: AuditChain;
  readonly seq: number | null;
  readonly at: number;
  readonly actorKind: AuditActor["kind"];
  readonly actorId: string;
  readonly actorName: string;
  readonly credential: string | null;
  readonly action: string;
  readonly target: string | null;
  readonly particulars: string;
  readonly result: string;
  readonly requestId: string | null;
  readonly peer: string | null;
  readonly count: number;
}

export function entryFrom({ actorKind, actorId, actorName, particulars, ...rest }: EntryRow): AuditEntry {
  const actor = { kind: actorKind, id: actorId, name: actorName };
  return { ...rest, actor, particulars: JSON.parse(particulars) };
}

export type FileVersionRow = Omit<FileVersion, "by"> & {
  readonly byKind: FileVersion["by"]["kind"];
  readonly byId: string;
  readonly byName: string;
};

export function fileVersionFrom(
  { id, workspace, path, kind, at, byKind, byId, byName, sha256, size }: FileVersionRow,
): FileVersion {
  return { id, workspace, path, kind, at, by: { kind: byKind, id: byId, name: byName }, sha256, size };
}

export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly hash: Uint8Array;
  readonly previousHash: Uint8Array | null;
  readonly previousUntil: number | null;
  readonly grants: string;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly creatorKind: KeyCreator["kind"] | null;
  readonly creatorId: string | null;
  readonly personId: string | null;
  readonly personGrants: string | null;
  /** Null where there is nobody. */
  readonly personClaims: string | null;
  readonly disabledAt: number | null;
  readonly expiresAt: number | null;
  readonly sources: string;
  readonly lastUsedAt: number | null;
  readonly lastUsedPeer: string | null;
}

export function keyFrom(row: KeyRow): KeyRecord {
  const { previousHash, previousUntil, creatorKind, creatorId, disabledAt, grants, sources, ...others } = row;
  const { personGrants, personClaims, ...rest } = others;
  return {
    ...rest,
    previous: previousHash === null || previousUntil === null
      ? null
      : { hash: previousHash, until: previousUntil },
    // Written by us alone, from checked lists.
    grants: JSON.parse(grants) as Grant[],
    from: JSON.parse(sources) as string[],
    creator: creatorKind === null || creatorId === null ? null : { kind: creatorKind, id: creatorId },
    limit: personClaims === null
      ? null
      : { claims: personClaims, grants: personGrants === null ? null : JSON.parse(personGrants) as Grant[] },
    disabled: disabledAt !== null,
  };
}

export interface PersonRow extends AccountRow {
  readonly password: string | null;
  readonly sessions: number;
}

export function personFrom({ password, sessions, ...row }: PersonRow): PersonRecord {
  return { ...accountFrom(row), hasPassword: password !== null, sessions };
}

export type PlanRow = Omit<PlanRecord, "creator"> & {
  readonly creatorKind: KeyCreator["kind"];
  readonly creatorId: string;
};

export function planFrom({ creatorKind, creatorId, ...row }: PlanRow): PlanRecord {
  return { ...row, creator: { kind: creatorKind, id: creatorId } };
}
