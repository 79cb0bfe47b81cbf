/** The words for findings, in German. */
import { count, number } from "./de_counts.ts";

export const findings = {
  none: "Keine Regel hat etwas zu diesen Dateien zu sagen.",
  count: (shown: number, all: number) =>
    shown === all ? count(all, "Befund", "Befunde") : `${number.format(shown)} von ${number.format(all)}`,
  severity: "Schwere",
  anySeverity: "jede Schwere",
  severities: { error: "Fehler", warning: "Warnung", info: "Info", hint: "Hinweis" } as Record<
    string,
    string
  >,
  rule: "Regel",
  anyRule: "jede Regel",
  order: "Ordnung",
  byRule: "nach Regel",
  byFile: "nach Datei",
  whole: "Der Ordner als Ganzes",
  noMatch: "Kein Befund passt.",
  truncated: (amount: number) =>
    `${count(amount, "weiterer Befund wird", "weitere Befunde werden")} nicht gezeigt.`,
};
