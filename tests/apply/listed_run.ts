/** A whole run of an apply without a service: its journal is a list. */
import assert from "node:assert/strict";
import type { ApplyRecord, ApplyStore, JournalEntry } from "../../core/applies.ts";
import type { ServiceError } from "../../core/error.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import type { TextSeal } from "../../core/text_seal.ts";
import { Journal, progressOf } from "../../projects/apply/journal.ts";
import type { Ground } from "../../projects/apply/orders.ts";
import { Run } from "../../projects/apply/run.ts";
import type { RunOptions } from "../../projects/apply/run_options.ts";

/** A run of a few steps that writes more lines goes on for ever. */
const MOST_LINES = 500;

/** Turns each byte over: what it has sealed is in nobody's words. */
const turned = (bytes: Uint8Array) => bytes.map((byte) => byte ^ 0xff);

export const SEAL: TextSeal = {
  seal: (text, place) => Promise.resolve(turned(new TextEncoder().encode(`${place}\n${text}`))),
  open: (sealed, place) => {
    const text = new TextDecoder().decode(turned(sealed));
    return Promise.resolve(text.startsWith(`${place}\n`) ? text.slice(place.length + 1) : null);
  },
};

export class ListedRun {
  readonly lines: JournalEntry[] = [];
  readonly audit: NewAuditEntry[] = [];
  stopping = new AbortController();
  /** The way it was closed; null while it was not. */
  closed: { readonly state: string; readonly reason: string | null } | null = null;
  awayMs = 120_000;
  /** Called when no step is in hand any more. */
  closing: () => void = () => {};
  /** Called before each write, with what the audit log gets; it may throw. */
  writing: (entries: readonly NewAuditEntry[]) => void = () => {};

  /** The states of the steps, as a next start reads them. */
  async states(): Promise<string[]> {
    const store = { lines: (_: string, after: number) => Promise.resolve(this.lines.slice(after)) };
    return [...await progressOf(store, "a1")].sort(([one], [other]) => one - other).map(([, { state }]) =>
      state
    );
  }

  /** The apply of a work on a ground; taken up again where `isAgain` is true. */
  runOf(ground: Ground, work: unknown, more: Pick<RunOptions, "isAgain" | "rights" | "unknownHooks">): Run {
    const record = {
      id: "a1",
      workspace: "w",
      epoch: 1,
      wish: null,
      work: JSON.stringify(work),
    } as ApplyRecord;
    const store = {
      lines: (_id: string, after: number) => Promise.resolve(this.lines.filter(({ seq }) => seq > after)),
      write: (...[, , lines, entries, end]: Parameters<ApplyStore["write"]>) => {
        assert.ok(this.lines.length < MOST_LINES, "the journal is flooded");
        this.writing(entries);
        for (const line of lines) this.lines.push({ seq: this.lines.length + 1, ...line });
        this.audit.push(...entries);
        if (end !== undefined) this.closed = end;
        return Promise.resolve([]);
      },
    };
    const journal = new Journal(record, {
      store: store as never,
      now: () => 0,
      entryOf: (_record, { kind, target }, result) => ({ action: kind, target, result }) as NewAuditEntry,
      written: () => {},
    });
    const unused = () => assert.fail("not asked for");
    return new Run(record, {
      journal,
      ground,
      store,
      assertHeld: () => Promise.resolve(),
      noteFailed: unused,
      stopping: this.stopping.signal,
      progress: unused,
      loginFor: () => undefined,
      seal: SEAL,
      settle: () => {
        this.closing();
        return Promise.resolve(null);
      },
      settleWaiting: () => Promise.resolve(),
      unexpected: (error): ServiceError => {
        throw error;
      },
      awayMs: this.awayMs,
      judgedMs: 0,
      ...more,
    });
  }
}
