/** The projects and containers that people have put aside, as all replicas know them. */
import type { AuditActor, NewAuditEntry } from "../core/audit_entry.ts";
import { ServiceError } from "../core/error.ts";
import type { IgnoredKey, IgnoredRecord, IgnoredStore } from "../core/ignored.ts";
import type { Ownership } from "../core/ownership.ts";
import type { RunningContainer } from "../core/runtime.ts";

/** Rows of the table. */
const MOST = 5_000;

interface IgnoredOptions {
  readonly store: IgnoredStore;
  readonly now: () => number;
  /** Makes an entry of the audit log for berth's own act. */
  readonly entryOf: (told: { readonly action: string; readonly target: string }) => NewAuditEntry;
}

/** The ignored projects and containers, as of one moment. */
export interface Ignored {
  readonly records: readonly IgnoredRecord[];
  has(key: IgnoredKey): boolean;
}

const textOf = ({ engine, kind, name }: IgnoredKey) => JSON.stringify([engine, kind, name]);

export class IgnoredProjects {
  #known: Ignored = { records: [], has: () => false };
  #text = "[]";

  constructor(private readonly options: IgnoredOptions) {}

  /** Returns what is ignored: the same object while nothing changed. Another replica may have changed it. */
  async current(): Promise<Ignored> {
    const records = await this.options.store.list();
    const text = JSON.stringify(records);
    if (text !== this.#text) {
      const keys = new Set(records.map(textOf));
      this.#known = { records, has: (key) => keys.has(textOf(key)) };
      this.#text = text;
    }
    return this.#known;
  }

  /** Ignores it, or ends that. Throws `too_many_ignored`. */
  async set(key: IgnoredKey, isIgnored: boolean, by: AuditActor, entry: NewAuditEntry): Promise<void> {
    const { store, now } = this.options;
    const { kind, id, name } = by;
    if (isIgnored) await store.add({ ...key, by: { kind, id, name }, at: now() }, MOST, entry);
    else await store.remove(key, entry);
  }

  /**
   * Ends the ignoring of what a file declares now, so that it does not come back with the end of the declaration.
   * `isDeclared` knows only of what its caller sees, which is true of everybody.
   */
  async endDeclared(
    containers: readonly RunningContainer[],
    ownership: Pick<Ownership, "ownerOf">,
    isDeclared: (container: RunningContainer) => boolean,
  ): Promise<void> {
    if (this.#known.records.length === 0) return;
    const running = Map.groupBy(
      containers,
      ({ backend: engine, compose, name }) =>
        textOf(
          compose === null
            ? { engine, kind: "container", name }
            : { engine, kind: "project", name: compose.project },
        ),
    );
    for (const key of this.#known.records) {
      const own = running.get(textOf(key)) ?? [];
      const isOver = own.length > 0 && own.every((one) => isDeclared(one) || ownership.ownerOf(one) !== null);
      if (isOver) await this.#end(key);
    }
  }

  async #end({ engine, kind, name }: IgnoredKey): Promise<void> {
    const target = `${name}@engine:${engine}`;
    try {
      const entry = this.options.entryOf({ action: "ignored.end", target });
      await this.options.store.remove({ engine, kind, name }, entry);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error; // the next list tries again
    }
  }
}
