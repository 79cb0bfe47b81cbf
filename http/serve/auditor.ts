/** Turns what the router saw of a request into entries of the audit log. */
import { auditEntry, NOBODY } from "../../auth/audit/audit.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import { credentialText } from "../../core/credential.ts";
import type { Auditor } from "../declare/caller.ts";

interface AuditorOptions {
  readonly audit: {
    first(entry: NewAuditEntry): Promise<void>;
    record(entry: NewAuditEntry): void;
  };
  readonly clock: { now(): number };
}

export function createAuditor({ audit, clock }: AuditorOptions): Auditor {
  return {
    entry: ({ caller, ...rest }) =>
      auditEntry({
        ...rest,
        at: clock.now(),
        actor: caller === null
          ? NOBODY
          : { kind: caller.principal.kind, id: caller.principal.id, name: caller.principal.name },
        credential: credentialText(caller?.source ?? null),
      }),
    first: (entry) => audit.first(entry),
    record: (entry) => audit.record(entry),
  };
}
