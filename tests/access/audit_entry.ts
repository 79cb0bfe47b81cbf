/** An entry of the audit log, for tests that change something and look at something else. */
import type { NewAuditEntry } from "../../core/store.ts";

export function auditEntryOf(over: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return {
    chain: "changes",
    at: 1,
    actor: { kind: "apiKey", id: "k", name: "key" },
    credential: "key:k",
    action: "test",
    target: "t",
    particulars: {},
    result: "done",
    requestId: "r",
    peer: "127.0.0.1",
    count: 1,
    ...over,
  };
}

/** An entry for tests that do not look at the audit log. */
export const ENTRY = auditEntryOf({ at: Date.now() });
