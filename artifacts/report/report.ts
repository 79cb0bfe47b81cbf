/** The outcome of validation: findings as ordered, bounded diagnostics with positions, and the totals. */

import { maskDeclared } from "../../core/secrets.ts";
import { textHash } from "../../core/text_hash.ts";
import type { Model } from "../artifact.ts";
import { graphOf, mainGroups } from "../graph/graph.ts";
import { type Location, locationOf } from "../position.ts";
import { isRuleCode, ruleOf } from "../rules/catalog.ts";
import { check, checkInTurns } from "../rules/check.ts";
import type { JudgedFinding } from "../rules/settings.ts";
import type { Diagnostic, Report } from "./report_shape.ts";

/** The number of diagnostics that are shown. */
export const LIMITS = { perFile: 100, all: 1_000 };

/** Validates a model. `workspace` is what the report calls it; `more` are findings that need more than the files. */
export function reportOn(model: Model, workspace: string, more: readonly JudgedFinding[] = []): Report {
  const began = performance.now();
  const { findings: own, suppressed } = check(model);
  const findings = more.length === 0 ? own : [...own, ...more];
  const graph = graphOf(model);
  const count = { error: 0, warning: 0, info: 0, hint: 0 };
  for (const { severity } of findings) count[severity]++;
  const shown = pick(findings);
  const written = graph.edges.filter((edge) => edge.reference !== null).length;
  return {
    schemaVersion: 1,
    workspace,
    revision: model.revision,
    valid: count.error === 0,
    complete: model.complete,
    durationMs: Math.round((model.durationMs + performance.now() - began) * 1_000) / 1_000,
    diagnostics: shown.map(diagnosticOf),
    summary: {
      ...count,
      suppressed,
      files: model.files.length,
      groups: mainGroups(model).length,
      units: model.units.length,
      cards: model.cards.length,
      edges: written,
    },
    truncated: {
      diagnostics: findings.length - shown.length,
      files: crowded(findings),
    },
  };
}

/** The diagnostics about one artifact, or in one stretch of a file. */
export function diagnosticsAbout(
  model: Model,
  concerns: (finding: JudgedFinding) => boolean,
  more: readonly JudgedFinding[] = [],
): Diagnostic[] {
  return pick([...check(model).findings, ...more].filter(concerns)).slice(0, LIMITS.perFile).map(
    diagnosticOf,
  );
}

/** Counts errors and warnings, without making a report. */
export async function problemsOf(model: Model): Promise<{ errors: number; warnings: number }> {
  let errors = 0;
  let warnings = 0;
  for (const { severity } of (await checkInTurns(model)).findings) {
    if (severity === "error") errors++;
    if (severity === "warning") warnings++;
  }
  return { errors, warnings };
}

const fileOf = (finding: JudgedFinding): string => finding.at?.file.path ?? finding.path ?? "";

const WORST: Readonly<Record<string, number>> = { error: 0, warning: 1, info: 2, hint: 3 };

/** Findings about unread files are shown whatever else there is. */
const isAboutLimits = ({ code }: JudgedFinding): boolean => code === "fs/limit-reached";

/** Sorted by file, offset and code; where there are too many, the worst are shown. */
function pick(findings: readonly JudgedFinding[]): JudgedFinding[] {
  const byPlace = (a: JudgedFinding, b: JudgedFinding) =>
    compare(fileOf(a), fileOf(b)) || (a.at?.start ?? -1) - (b.at?.start ?? -1) || compare(a.code, b.code) ||
    compare(a.message, b.message);
  let kept = [...findings];
  if (kept.length > LIMITS.perFile) {
    const perFile = new Map<string, number>();
    kept.sort((a, b) =>
      Number(isAboutLimits(b)) - Number(isAboutLimits(a)) || WORST[a.severity]! - WORST[b.severity]!
    );
    kept = kept.filter((finding) => {
      const file = fileOf(finding);
      const count = (perFile.get(file) ?? 0) + 1;
      perFile.set(file, count);
      return count <= LIMITS.perFile;
    }).slice(0, LIMITS.all);
  }
  return kept.sort(byPlace);
}

function crowded(findings: readonly JudgedFinding[]): number {
  if (findings.length <= LIMITS.perFile) return 0;
  const perFile = new Map<string, number>();
  for (const finding of findings) perFile.set(fileOf(finding), (perFile.get(fileOf(finding)) ?? 0) + 1);
  let files = 0;
  for (const count of perFile.values()) if (count > LIMITS.perFile) files++;
  return files;
}

const compare = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0;

const NOWHERE = { line: 1, column: 1, offset: 0 };

/** A finding as callers receive it. */
export function diagnosticOf(finding: JudgedFinding): Diagnostic {
  const location: Location | null = finding.at !== null
    ? locationOf(finding.at)
    : finding.path !== undefined
    ? { file: finding.path, path: [], range: { start: NOWHERE, end: NOWHERE } }
    : null;
  const tag = isRuleCode(finding.code) ? ruleOf(finding.code).tag : undefined;
  return {
    code: finding.code,
    severity: finding.severity,
    message: maskDeclared(finding.message),
    location,
    subject: finding.subject ?? null,
    related: (finding.related ?? []).map(({ message, at }) => ({
      message: maskDeclared(message),
      location: locationOf(at),
    })),
    data: maskedData(finding.data ?? {}),
    tags: [...(finding.tags ?? (tag === undefined ? [] : [tag]))],
    fingerprint: fingerprint(
      [finding.code, location?.file ?? "", ...(location?.path ?? []), finding.message].join("\0"),
    ),
    ...(finding.remedies !== undefined && { remedies: [...finding.remedies] }),
  };
}

function maskedData(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map((
      [key, value],
    ) => [key, typeof value === "string" ? maskDeclared(value) : value]),
  );
}

/** 64 bits that name a finding. */
function fingerprint(text: string): string {
  return textHash(text).map((half) => half.toString(16).padStart(8, "0")).join("");
}
