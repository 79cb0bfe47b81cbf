/** Turns what the router saw of a request into an entry of the audit log. */
import type { AuditRecord } from "../core/store.ts";
import type { Auditor } from "./caller.ts";

export interface AuditorOptions {
  readonly audit: { record(record: AuditRecord): void };
  readonly clock: { now(): number };
}

const NOBODY = { kind: "anonymous", id: "-", name: "-" } as const;

export function createAuditor({ audit, clock }: AuditorOptions): Auditor {
  return {
    record: ({ actor, action, target, code, requestId, peer }) =>
      audit.record({
        at: clock.now(),
        actor: actor === null ? NOBODY : { kind: actor.kind, id: actor.id, name: actor.name },
        action,
        target,
        result: code ?? "done",
        requestId,
        peer,
      }),
  };
}
