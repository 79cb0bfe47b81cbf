/** A plan while it is written: steps in order, each known by its number. */

import type { Place } from "../../artifacts/artifact.ts";
import type { JudgedFinding } from "../../artifacts/rules/settings.ts";
import type { Need, Reason, Step } from "./plan_shape.ts";

/** What a step is made of; its number is its place. */
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
  readonly within?: number;
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

  /** Says why the plan cannot be carried out. */
  block(code: string, message: string, at: Place | null, subject: string): void {
    this.blocked.push({ code, severity: "error", message, at, subject });
  }

  warn(code: string, message: string, at: Place | null, subject: string): void {
    this.warnings.push({ code, severity: "warning", message, at, subject });
  }
}
