/** Newer images: the rules, and what is known of each reference, as all replicas know it. */
import type { NewAuditEntry } from "../../core/audit_entry.ts";
import type { UpdateRules, UpdateStore } from "../../core/updates.ts";
import { type Checked, readChecked } from "./checked.ts";

/** The state of all checks, as of one moment. */
export interface KnownUpdates extends UpdateRules {
  readonly checks: ReadonlyMap<string, Checked>;
  /** When each reference is asked for again. */
  readonly nextAt: ReadonlyMap<string, number>;
}

export class Updates {
  #known: KnownUpdates = { enabled: false, coolDownDays: 0, checks: new Map(), nextAt: new Map() };
  #revision = 0;

  constructor(private readonly store: UpdateStore) {}

  /** Returns the same object while nothing changed, whichever replica changes it. */
  async current(): Promise<KnownUpdates> {
    const { revision, enabled, coolDownDays } = await this.store.rules();
    if (revision === this.#revision) return this.#known;
    const records = await this.store.checks();
    const checks = new Map<string, Checked>();
    const nextAt = new Map<string, number>();
    for (const record of records) {
      const checked = readChecked(record.body);
      if (checked === null) continue;
      checks.set(record.reference, checked);
      nextAt.set(record.reference, record.nextAt);
    }
    this.#known = { enabled, coolDownDays, checks, nextAt };
    this.#revision = revision;
    return this.#known;
  }

  setRules(rules: UpdateRules, entry: NewAuditEntry): Promise<void> {
    return this.store.setRules(rules, entry);
  }
}
