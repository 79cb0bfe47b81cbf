/** A plan while it is written: steps in order, each known by its number. */

import type { Place } from "../../artifacts/artifact.ts";
import { locationOf } from "../../artifacts/position.ts";
import type { JudgedFinding } from "../../artifacts/rules/settings.ts";
import { listed, NO_REMEDY, type Remedies } from "../../core/remedy.ts";
import type { Need, Reason, Step } from "./plan_shape.ts";

/** The parts of a step; its number is its place. */
export interface NewStep {
  readonly kind: Step["kind"];
  readonly target: string;
  readonly unit: string | null;
  readonly why: readonly Reason[];
  readonly after: Iterable<number>;
  readonly needs: readonly Need[];
  readonly risk?: Step["risk"];
  /** Done only if one of these brings another image; null: always. */
  readonly ifChanged?: readonly number[] | null;
  readonly hook?: Step["hook"];
  readonly digest?: string;
  readonly within?: number;
  readonly optional?: true;
}

export class Draft {
  readonly steps: Step[] = [];
  readonly blocked: JudgedFinding[] = [];
  readonly warnings: JudgedFinding[] = [];

  add({ kind, target, unit, why, after, needs, risk = "none", ifChanged = null, ...more }: NewStep): number {
    const n = this.steps.length + 1;
    this.steps.push({
      n,
      kind,
      target,
      unit,
      why: [...why],
      after: [...new Set(after)].sort((a, b) => a - b),
      needs: [...needs],
      risk,
      ...(ifChanged !== null && { ifChanged: [...new Set(ifChanged)].sort((a, b) => a - b) }),
      ...more,
    });
    return n;
  }

  /** Says once why the plan cannot be carried out, and what somebody can do about it. */
  block(code: string, message: string, at: Place | null, subject: string, remedies: Remedies): void {
    if (this.isBlockedBy({ code, message, at, subject })) return;
    this.blocked.push({ code, severity: "error", message, at, subject, remedies: listed(remedies) });
  }

  isBlockedBy(
    { code, message, at, subject }: Pick<JudgedFinding, "code" | "message" | "at" | "subject">,
  ): boolean {
    return this.blocked.some((one) =>
      one.code === code && one.at === at && one.message === message && one.subject === subject
    );
  }

  warn(code: string, message: string, at: Place | null, subject: string, remedies: Remedies): void {
    this.warnings.push({ code, severity: "warning", message, at, subject, remedies: listed(remedies) });
  }
}

/** Returns the remedy of a message about a value of a file: change it there. */
export function edited(at: Place | null): Remedies {
  if (at === null) return NO_REMEDY("no line of a file says it");
  const { file, range } = locationOf(at);
  return [{ kind: "edit", file, line: range.start.line }];
}
