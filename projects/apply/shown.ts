/** An apply and its journal as they are answered. */

import type { ApplyRecord, JournalEntry } from "../../core/applies.ts";
import type { Apply, ApplyEvent, ApplyStep, ApplySummary } from "./apply_shape.ts";
import type { LogLine, StateLine, StepLine, StepProgress } from "./journal.ts";
import { stepsOf, workOf } from "./work.ts";

const timeOf = (at: number): string => new Date(at).toISOString();

export const isOver = ({ state }: Pick<ApplyRecord, "state">): boolean =>
  state === "done" || state === "failed" || state === "cancelled";

export function summaryOf(record: ApplyRecord): ApplySummary {
  const { id, workspace, group, project, backend, state, reason, by, createdAt, endedAt } = record;
  const { plan } = workOf(record);
  return {
    id,
    plan: plan.id,
    workspace,
    group,
    project,
    backend,
    action: plan.action,
    state,
    reason,
    by: by.name,
    createdAt: timeOf(createdAt),
    endedAt: endedAt === null ? null : timeOf(endedAt),
  };
}

/** Returns the state of a step. Once its apply is over, a step in hand when berth was killed may have been done. */
function stateOf(own: StepProgress | undefined, over: boolean): ApplyStep["state"] {
  if (own === undefined) return over ? "skipped" : "waiting";
  return over && own.state === "running" ? "unknown" : own.state;
}

export function applyOf(record: ApplyRecord, progress: ReadonlyMap<number, StepProgress>): Apply {
  const over = isOver(record);
  const steps = stepsOf(workOf(record)).map(
    ({ n, kind, target, unit, why, after, risk, hook, within }): ApplyStep => {
      const own = progress.get(n);
      return {
        n,
        kind,
        target,
        unit,
        why,
        after,
        risk,
        ...(hook !== undefined && { hook }),
        ...(within !== undefined && { within }),
        state: stateOf(own, over),
        startedAt: own === undefined ? null : timeOf(own.startedAt),
        endedAt: own === undefined || own.endedAt === null ? null : timeOf(own.endedAt),
        error: own?.error ?? null,
        note: own?.note ?? null,
      };
    },
  );
  const unstable = [...progress.values()].flatMap((one) => one.unstable ?? []);
  return { ...summaryOf(record), steps, unstable };
}

/** Null for a line that only berth itself needs. */
export function eventOf({ seq: id, kind, at, step, body }: JournalEntry): ApplyEvent | null {
  const time = timeOf(at);
  if (kind === "state") {
    const { state, reason }: StateLine = JSON.parse(body);
    return { kind, id, at: time, state, reason };
  }
  if (step === null) return null;
  if (kind === "log") {
    const { container, lines }: LogLine = JSON.parse(body);
    return { kind, id, at: time, step, container, lines: [...lines] };
  }
  const { state, error, note }: StepLine = JSON.parse(body);
  return { kind, id, at: time, step, state, error: error ?? null, note: note ?? null };
}
