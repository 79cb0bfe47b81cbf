/** Plans that were made, for 15 minutes each: long enough to read one, short enough that it is still true. */

import type { Principal } from "../../core/access.ts";
import { ServiceError } from "../../core/error.ts";
import type { KeyCreator } from "../../core/access_store.ts";
import type { NewAuditEntry, PlanRecord, PlanStore } from "../../core/store.ts";
import type { Looked, Moved } from "./looked.ts";
import type { PlanBody, PlanRequest } from "./plan_shape.ts";

const LIFETIME_MS = 15 * 60_000;
const MOST = 256;

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
    { kind, id, name }: Principal,
    entryOf: (id: string) => NewAuditEntry,
    now: number,
  ): Promise<KnownPlan> {
    const { workspace, project, backend } = made.plan;
    const record: PlanRecord = {
      id: crypto.randomUUID(),
      workspaceId: workspace,
      project,
      backend,
      creator: { kind, id },
      createdBy: name,
      createdAt: now,
      expiresAt: now + LIFETIME_MS,
      body: JSON.stringify(made),
    };
    await this.store.add(record, MOST, entryOf(record.id));
    return known(record, made);
  }

  /** Throws `plan_not_found`. */
  async get(id: string, now: number): Promise<KnownPlan> {
    const record = await this.store.get(id, now);
    if (record === null) throw noPlan();
    return known(record, JSON.parse(record.body)); // as `add` wrote it
  }
}

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
