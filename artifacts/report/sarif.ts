/** A report as SARIF 2.1.0, for code scanning and editors. */

import type { Location } from "../position.ts";
import type { Severity } from "../kinds.ts";
import { RULES } from "../rules/catalog.ts";
import type { Report } from "./report_shape.ts";

const LEVELS: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  error: "error",
  warning: "warning",
  info: "note",
  hint: "note",
};

/** One log with one run. `version` is berth's own. */
export function sarifOf(report: Report, version: string): Record<string, unknown> {
  const codes = [...new Set(report.diagnostics.map((diagnostic) => diagnostic.code))].sort();
  const index = new Map(codes.map((code, i) => [code, i]));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{
      tool: { driver: { name: "berth", version, rules: codes.map(ruleOf) } },
      columnKind: "utf16CodeUnits",
      ...(report.liveNeeds !== undefined && { properties: { liveNeeds: report.liveNeeds } }),
      originalUriBaseIds: { WORKSPACE: { description: { text: "The root of the workspace" } } },
      invocations: [{ executionSuccessful: true }],
      results: report.diagnostics.map((diagnostic) => ({
        ruleId: diagnostic.code,
        ruleIndex: index.get(diagnostic.code)!,
        level: LEVELS[diagnostic.severity],
        message: { text: diagnostic.message },
        ...(diagnostic.location !== null && { locations: [locationOf(diagnostic.location)] }),
        ...(diagnostic.related.length > 0 && {
          relatedLocations: diagnostic.related.map(({ message, location }, id) => ({
            id,
            ...locationOf(location),
            message: { text: message },
          })),
        }),
        ...(diagnostic.code === "graph/cycle" && diagnostic.location !== null && {
          codeFlows: [{
            threadFlows: [{
              locations: [
                { message: diagnostic.message, location: diagnostic.location },
                ...diagnostic.related,
              ].map(({ message, location }) => ({
                location: { ...locationOf(location), message: { text: message } },
              })),
            }],
          }],
        }),
        partialFingerprints: { "berth/v1": diagnostic.fingerprint },
      })),
    }],
  };
}

function ruleOf(code: string): Record<string, unknown> {
  const rule = code in RULES ? RULES[code as keyof typeof RULES] : null; // `in` has just proven it
  return {
    id: code,
    ...(rule !== null && {
      shortDescription: { text: rule.summary },
      defaultConfiguration: { level: LEVELS[rule.severity] },
    }),
  };
}

function locationOf({ file, range: { start, end } }: Location): Record<string, unknown> {
  return {
    physicalLocation: {
      artifactLocation: {
        uri: file.split("/").map(encodeURIComponent).join("/"),
        uriBaseId: "WORKSPACE",
      },
      region: {
        startLine: start.line,
        startColumn: start.column,
        endLine: end.line,
        endColumn: end.column,
        charOffset: start.offset,
        charLength: Math.max(0, end.offset - start.offset),
      },
    },
  };
}
