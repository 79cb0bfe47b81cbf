/** Plans that were made, for 15 minutes each: long enough to read one, short enough that it is still true. */

import type { Principal } from "../../core/access.ts";
import { ServiceError } from "../../core/error.ts";
import type { KeyCreator } from "../../core/access_store.ts";
import type { NewAuditEntry, PlanRecord, PlanStore } from "../../core/store.ts";
import type { Looked, Moved } from "./looked.ts";
import type { PlanBody, PlanRequest } from "./plan_shape.ts";

const LIFETIME_MS = 15 * 60_000;
/** Plans that are remembered: of one caller, so that nobody's go for those of another, and of all. */
const MOST = { ofOne: 256, all: 2_048 };

/** A plan with what it was worked out from. */
export interface MadePlan {
  readonly plan: PlanBody;
  readonly request: PlanRequest;
  readonly looked: Looked;
}

/** A plan as it is remembered. */
export interface KnownPlan extends MadePlan {
  readonly id: string;
  readonly creator: KeyCreator;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export class Plans {
  constructor(readonly store: PlanStore) {}

  /** `entry` records it in the audit log, with the id and both digests. */
  async add(
    made: MadePlan,
    creator: Principal,
    entryOf: (id: string) => NewAuditEntry,
    now: number,
  ): Promise<KnownPlan> {
    const record = recordOf(made, creator, now);
    await this.store.add([record], now, MOST, entryOf(record.id));
    return known(record, made);
  }

  /** Adds plans that one request has made, under one entry with all their ids. */
  async addAll(
    all: readonly MadePlan[],
    creator: Principal,
    entryOf: (ids: readonly string[]) => NewAuditEntry,
    now: number,
  ): Promise<KnownPlan[]> {
    const records = all.map((made) => recordOf(made, creator, now));
    await this.store.add(records, now, MOST, entryOf(records.map(({ id }) => id)));
    return all.map((made, at) => known(records[at]!, made)); // one each
  }

  /** Throws `plan_not_found`. */
  async get(id: string, now: number): Promise<KnownPlan> {
    const record = await this.store.get(id, now);
    if (record === null) throw noPlan();
    return known(record, JSON.parse(record.body)); // as `add` wrote it
  }
}

const recordOf = (made: MadePlan, { kind, id, name }: Principal, now: number): PlanRecord => ({
  id: crypto.randomUUID(),
  workspaceId: made.plan.workspace,
  project: made.plan.project,
  backend: made.plan.backend,
  creator: { kind, id },
  createdBy: name,
  createdAt: now,
  expiresAt: now + LIFETIME_MS,
  body: JSON.stringify(made),
});

const known = ({ id, creator, createdBy, createdAt, expiresAt }: PlanRecord, made: MadePlan): KnownPlan => ({
  ...made,
  id,
  creator,
  createdBy,
  createdAt: new Date(createdAt).toISOString(),
  expiresAt: new Date(expiresAt).toISOString(),
});

/** Also for a plan that the caller may not read. */
export const noPlan = (): ServiceError =>
  new ServiceError("plan_not_found", "There is no such plan, or it has expired: ask for a new one");

const HOW = { changed: "has changed since", gone: "is gone", new: "is new" } as const;
/** Changes that are named one by one. */
const MOST_TOLD = 20;

/** Throws `plan_stale`, with what moved since the plan was made. */
export function assertStill(moved: readonly Moved[]): void {
  if (moved.length === 0) return;
  throw new ServiceError(
    "plan_stale",
    `The plan is no longer true, ${moved.length === 1 ? "one thing" : `${moved.length} things`} moved: ` +
      "ask for a new one",
    { errors: moved.slice(0, MOST_TOLD).map(({ what, how }) => ({ path: what, message: HOW[how] })) },
  );
}
