/** A report for people at a terminal: every finding with its line and a caret under the place. */

import type { Model } from "../artifact.ts";
import { maskedText } from "./masked_text.ts";
import type { Report } from "./report_shape.ts";

/** The number of characters of a line that are shown around the place. */
const WIDTH = 100;

/** Plain text, one block a finding, and the totals in the last line. */
export function textOf(report: Report, model: Model): string {
  const files = new Map(model.files.map((file) => [file.path, file]));
  const blocks = report.diagnostics.map((diagnostic) => {
    const { location } = diagnostic;
    const place = location === null
      ? ""
      : `${printable(location.file)}:${location.range.start.line}:${location.range.start.column}: `;
    const head = `${place}${diagnostic.severity}: ${printable(diagnostic.message)} [${diagnostic.code}]`;
    const file = location === null ? undefined : files.get(location.file);
    const shown = file === undefined || location === null ? [] : excerpt(maskedText(file), location.range);
    const related = diagnostic.related.map((item) =>
      `  ${
        printable(item.location.file)
      }:${item.location.range.start.line}:${item.location.range.start.column}: ${printable(item.message)}`
    );
    return [head, ...shown, ...related].join("\n");
  });
  return [...blocks, totals(report)].join("\n") + "\n";
}

/** Limits that are named in the last line. */
const NAMED = 3;

function totals({ summary, truncated, valid, complete, diagnostics }: Report): string {
  const counts = [
    count(summary.error, "error"),
    count(summary.warning, "warning"),
    count(summary.info, "info", "infos"),
    count(summary.hint, "hint"),
  ].filter((text) => !text.startsWith("0 ")).join(", ") || "no findings";
  const about = [
    count(summary.files, "file"),
    count(summary.groups, "group"),
    count(summary.units, "unit"),
    count(summary.edges, "edge"),
  ].join(", ");
  const more = truncated.diagnostics > 0 ? `; ${truncated.diagnostics} more not shown` : "";
  const silent = summary.suppressed > 0 ? `; ${summary.suppressed} silenced` : "";
  const limits = diagnostics.filter(({ code }) => code === "fs/limit-reached").map(({ message }) =>
    printable(message)
  );
  const named = limits.length === 0 ? "" : `: ${limits.slice(0, NAMED).join("; ")}`;
  const partly = complete ? "" : `; not everything was read${named}`;
  return `${valid ? "valid" : "invalid"}: ${counts} in ${about}${more}${silent}${partly}`;
}

const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;

/** The line of a place, its number, and carets below; long lines are cut around the place. */
function excerpt(
  text: string,
  { start, end }: Report["diagnostics"][number]["related"][number]["location"]["range"],
) {
  // A mask moves what stands behind it, but never to another line.
  let from = 0;
  for (let at = 1; at < start.line; at++) from = text.indexOf("\n", from) + 1;
  let to = text.indexOf("\n", from);
  if (to === -1) to = text.length;
  const line = text.slice(from, to).replace(/\r$/, "");
  const column = start.column - 1;
  const length = Math.max(1, end.line === start.line ? end.column - start.column : line.length - column);
  if (column > line.length) return [];
  const cut = column > WIDTH - 20 ? column - 20 : 0;
  const shown = line.slice(cut, cut + WIDTH);
  const number = String(start.line);
  const gutter = " ".repeat(number.length);
  const prefix = cut > 0 ? "…" : "";
  // Tabs stay tabs, so that the caret stands below its place at any tab width.
  const indent = [...shown.slice(0, column - cut)].map((c) => c === "\t" ? "\t" : " ".repeat(widthOf(c)))
    .join("");
  const under = [...shown.slice(column - cut, column - cut + length)].reduce((sum, c) => sum + widthOf(c), 0);
  return [
    ` ${number} | ${prefix}${printable(shown)}`,
    ` ${gutter} | ${prefix === "" ? "" : " "}${indent}${"^".repeat(Math.max(1, under))}`,
  ];
}

/** Wide East Asian characters and emoji take two cells. */
function widthOf(character: string): number {
  return /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u
      .test(character)
    ? 2
    : 1;
}

/** Control characters of a hostile file must not reach a terminal. */
function printable(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}
