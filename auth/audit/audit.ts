/** The contents of an audit entry, and the values that never get into one. */
import type { AuditActor, AuditChain, NewAuditEntry } from "../../core/store.ts";

const MAX_TEXT = 500;

export const NOBODY: AuditActor = { kind: "anonymous", id: "-", name: "-" };
/** The actor of berth's own acts. */
export const BERTH: AuditActor = { kind: "system", id: "berth", name: "berth" };
/** The owner of the data folder. */
export const COMMAND_LINE: AuditActor = { kind: "system", id: "command-line", name: "command line" };

interface AboutEntry {
  readonly chain?: AuditChain;
  readonly at: number;
  readonly actor: AuditActor;
  readonly credential?: string | null;
  readonly action: string;
  readonly target: string | null;
  readonly particulars?: Readonly<Record<string, string>>;
  readonly result?: string;
  readonly requestId?: string | null;
  readonly peer?: string | null;
  readonly count?: number;
}

/** An entry in which nothing can be a credential; a change that was done, unless the caller says otherwise. */
export function auditEntry(about: AboutEntry): NewAuditEntry {
  const { target, particulars = {} } = about;
  return {
    chain: about.chain ?? "changes",
    at: about.at,
    actor: about.actor,
    credential: about.credential ?? null,
    action: about.action,
    target: target === null ? null : harmless(target),
    particulars: Object.fromEntries(
      Object.entries(particulars).map(([name, value]) => [name, harmless(value)]),
    ),
    result: about.result ?? "done",
    requestId: about.requestId ?? null,
    peer: about.peer ?? null,
    count: about.count ?? 1,
  };
}

/** Somebody may put a whole key or token where an id belongs; what is kept for years must not be a credential. */
const SECRETS = /(berth_[0-9a-f]{16}_)[A-Za-z0-9_-]{20,}|(eyJ)[A-Za-z0-9_.-]{20,}/g;

function harmless(text: string): string {
  return text.slice(0, MAX_TEXT).toWellFormed().replaceAll("\0", "\uFFFD")
    .replace(SECRETS, (_, key = "", token = "") => `${key}${token}...`);
}
