/** The words for findings, in English. */
import { count, number } from "./en_counts.ts";

export const findings = {
  none: "No rule has anything to say about these files.",
  count: (shown: number, all: number) =>
    shown === all ? count(all, "finding", "findings") : `${number.format(shown)} of ${number.format(all)}`,
  severity: "Severity",
  anySeverity: "every severity",
  severities: { error: "error", warning: "warning", info: "info", hint: "hint" } as Record<string, string>,
  rule: "Rule",
  anyRule: "every rule",
  order: "Order",
  byRule: "by rule",
  byFile: "by file",
  whole: "The folder as a whole",
  noMatch: "No finding fits.",
  truncated: (amount: number) => `${count(amount, "further finding is", "further findings are")} not shown.`,
};
