/** A report as the workflow commands that GitHub turns into annotations. */

import type { Report } from "./report_shape.ts";

const COMMANDS = { error: "error", warning: "warning", info: "notice", hint: "notice" } as const;

/** One command a line. */
export function githubOf(report: Report): string {
  return report.diagnostics.map(({ severity, location, code, message }) => {
    const where = location === null ? [] : [
      `file=${property(location.file)}`,
      `line=${location.range.start.line}`,
      `col=${location.range.start.column}`,
      `endLine=${location.range.end.line}`,
      `endColumn=${location.range.end.column}`,
    ];
    const properties = [...where, `title=${property(code)}`].join(",");
    return `::${COMMANDS[severity]} ${properties}::${data(message)}\n`;
  }).join("");
}

const data = (text: string): string => text.replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");

const property = (text: string): string => data(text).replace(/:/g, "%3A").replace(/,/g, "%2C");
