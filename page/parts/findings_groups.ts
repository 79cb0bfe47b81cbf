/** Findings in groups, as one reads them: all of a rule, or all of a file. */
import type { Diagnostic, Severity } from "../../client/berth/models.ts";

export const SEVERITIES = ["error", "warning", "info", "hint"] as const satisfies readonly Severity[];

export interface Group {
  /** The rule or the file; null for what is about the folder as a whole. */
  readonly name: string | null;
  /** In the order of their places. */
  readonly findings: readonly Diagnostic[];
}

export function byRule(findings: readonly Diagnostic[]): readonly Group[] {
  const worst = ({ findings }: Group) =>
    Math.min(...findings.map(({ severity }) => SEVERITIES.indexOf(severity)));
  return grouped(findings, ({ code }) => code).sort((one, other) =>
    worst(one) - worst(other) || other.findings.length - one.findings.length
  );
}

export function byFile(findings: readonly Diagnostic[]): readonly Group[] {
  return grouped(findings, ({ location }) => location?.file ?? null);
}

/** Groups keep the order of their first finding. */
function grouped(findings: readonly Diagnostic[], nameOf: (one: Diagnostic) => string | null): Group[] {
  return [...Map.groupBy(findings, nameOf)].map(([name, findings]) => ({ name, findings }));
}
