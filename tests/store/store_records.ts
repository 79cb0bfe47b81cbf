/** Records for tests of stores, and what those tests are made of. */
import assert from "node:assert/strict";
import { ENTRY } from "../access/audit_entry.ts";
import { ServiceError } from "../../core/error.ts";
import type { KeyRecord, NewAccount, NewSession } from "../../core/access_store.ts";
import type { NewAuditEntry, Store } from "../../core/store.ts";

/** More keys than any test makes. */
export const MANY = 1_000_000;

/** `open` opens the same memory again each time it is called with the same name. */
export interface StoreUnderTest {
  readonly kind: string;
  open(name: string): Promise<Store>;
  readonly folder: string;
}

/** A method that changes what somebody asked for, with what must be there before, and how to see what it did. */
export interface Change {
  readonly name: string;
  readonly before?: (store: Store) => Promise<unknown>;
  readonly change: (store: Store, entry: NewAuditEntry) => Promise<unknown>;
  readonly state: (store: Store) => Promise<unknown>;
}

export type Promised = (name: string, work: (under: StoreUnderTest) => Promise<void>) => void;

export async function refused(code: string, work: Promise<unknown>): Promise<ServiceError> {
  try {
    await work;
  } catch (thrown) {
    assert.ok(thrown instanceof ServiceError, `expected ${code}, got ${thrown}`);
    assert.equal(thrown.code, code);
    return thrown;
  }
  assert.fail(`expected ${code}, got an answer`);
}

export function bytes(length: number, fill: number): Uint8Array {
  return new Uint8Array(length).fill(fill);
}

export function key(id: string, over: Partial<KeyRecord>): KeyRecord {
  return {
    id,
    name: `key ${id}`,
    hash: bytes(32, id.length),
    previous: null,
    grants: [{ permissions: ["system:read"] }],
    createdAt: 1,
    createdBy: "test",
    creator: null,
    personId: null,
    limit: null,
    disabled: false,
    expiresAt: null,
    from: [],
    lastUsedAt: null,
    lastUsedPeer: null,
    ...over,
  };
}

export function account(subject: string, over: Partial<NewAccount> = {}): NewAccount {
  const issuer = "https://issuer.example";
  return {
    id: subject,
    issuer,
    subject,
    name: subject,
    email: null,
    picture: null,
    claims: "{}",
    ...over,
  };
}

export function session(id: string, token: number, over: Partial<NewSession> = {}): NewSession {
  return {
    id,
    createdAt: 0,
    expiresAt: 10_000,
    provedAt: 0,
    peer: "::1",
    device: "a test",
    binding: null,
    token: bytes(32, token),
    ...over,
  };
}

/** Adds a workspace of this id. */
export async function workspaceIn(store: Store, id: string): Promise<void> {
  await store.workspaces.add({
    id,
    name: id,
    path: `/srv/${id}`,
    createdAt: "2026-01-01T00:00:00.000Z",
    allowHardLinks: false,
    editable: false,
  }, ENTRY);
}
