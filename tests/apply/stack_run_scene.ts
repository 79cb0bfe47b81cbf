/** A whole run of a stack's apply on a swarm of a test's own: its journal is a list. */
import assert from "node:assert/strict";
import type { ApplyRecord, ApplyStore, JournalEntry } from "../../core/applies.ts";
import type { ServiceError } from "../../core/error.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import { Journal, progressOf } from "../../projects/apply/journal.ts";
import type { Ground } from "../../projects/apply/orders.ts";
import { Run } from "../../projects/apply/run.ts";
import { declaredNow, digestOf } from "../../projects/plan/looked.ts";
import type { BackScene } from "./stack_back_scene.ts";

const SWARM = { id: "c1", name: "s", state: "up", engines: [], nodes: [] };

export class RunScene {
  readonly lines: JournalEntry[] = [];
  readonly audit: NewAuditEntry[] = [];
  stopping = new AbortController();
  /** The way it was closed; null while it was not. */
  closed: { readonly state: string; readonly reason: string | null } | null = null;
  awayMs = 120_000;
  /** Called when no step is in hand any more. */
  closing: () => void = () => {};

  constructor(readonly swarm: BackScene) {}

  get #ground(): Ground {
    const now = { networks: [], secrets: [], configs: [], services: [] };
    const stacks = {
      clusters: [SWARM],
      settle: () => Promise.resolve(),
      read: () => Promise.resolve(now),
      acts: () => this.swarm.acts(),
    };
    return {
      apply: "a1",
      backend: "swarm:s",
      model: { groups: [], settings: { paths: [], projects: new Map(), stacks: new Map() } },
      group: {
        name: "shop",
        project: "shop",
        value: null,
        profiles: [],
        units: [],
        resources: [],
        paths: [],
      },
      digest: (text: string) => text,
      contents: new Map(),
      hashes: () => Promise.resolve(new Map()),
      runtime: {
        settle: () => Promise.resolve(),
        stacks: () => stacks,
        holdings: () => Promise.resolve(null),
        backends: () => [],
      },
    } as unknown as Ground;
  }

  /** The states of the steps, as a next start reads them. */
  async states(): Promise<string[]> {
    const store = { lines: (_: string, after: number) => Promise.resolve(this.lines.slice(after)) };
    return [...await progressOf(store, "a1")].sort(([one], [other]) => one - other).map(([, { state }]) =>
      state
    );
  }

  /** The apply of the swarm's steps, taken up again where `isAgain` is true. */
  run({ isAgain = false, isEdited = false } = {}): Run {
    const ground = this.#ground;
    const declared = digestOf(declaredNow(ground), ground.digest);
    const { steps, subjects } = this.swarm;
    const plan = {
      id: "p1",
      workspace: "w",
      group: "shop",
      project: "shop",
      backend: "swarm:s",
      basis: { declared: isEdited ? "other" : declared },
      steps,
    };
    const work = {
      plan,
      request: {},
      steps: steps.map(({ n }) => n),
      subjects,
      timeouts: {},
      cluster: "c1",
      onFailure: "rollback",
    };
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
      rights: () => Promise.resolve(this.swarm.holder()),
      assertHeld: () => Promise.resolve(),
      isAgain,
      noteFailed: unused,
      stopping: this.stopping.signal,
      progress: unused,
      loginFor: () => undefined,
      seal: {
        seal: (text: string) => Promise.resolve(new TextEncoder().encode(text)),
        open: (sealed: Uint8Array) => Promise.resolve(new TextDecoder().decode(sealed)),
      } as never,
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
    });
  }
}
