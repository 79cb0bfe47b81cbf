/** `deno task speed`: puts what the benches measured here into the tables of `docs/speed.md` and the README. */

const RESULTS = new URL("../bench/results/", import.meta.url);

/** One bench as `bench/rounds.ts` keeps it. */
export interface Result {
  readonly name: string;
  readonly about: string;
  readonly unit: string;
  readonly better: "less" | "more";
  readonly standings: readonly {
    readonly name: string;
    readonly absent?: string;
    readonly median?: number;
    readonly ratio?: number;
    readonly spread?: readonly [number, number];
  }[];
}

/** Results that are like another one, whose row stands for both: the bench prints them. */
const LIKE_ANOTHER: ReadonlySet<string> = new Set([
  ...["before-list-gzip", "git-none-lists", "growth-postgres-start"],
  ...["apply-nothing-1", "apply-nothing-10", "apply-up-1", "apply-up-10", "builds-first", "client-parallel"],
  ...[
    "engine-inspect-500",
    "engine-list-gzip-50",
    "engine-list-events-50",
    "git-none-memory",
    "git-none-start",
  ],
  ...["graph-dag", "graph-order", "growth-list-label", "growth-list-none", "house-memory", "images-cpu"],
  ...["log-lines-1000-cpu", "log-lines-1000-times", "log-lines-200-cpu", "log-lines-200-times"],
  ...[
    "log-lines-80-cpu",
    "log-lines-80-times",
    "large-log-cpu",
    "objects-networks",
    "objects-volumes",
    "reread-50",
  ],
  ...["page-graph-layout", "page-projects", "auth-cpu", "house-cpu", "engine-memory", "log-lines-200-plain"],
  ...["images-share", "graph-growth", "log-lines-1000-plain", "page-start"],
]);

/** Returns the page with a row of each result; rows of other benches stay as they are. */
export function speedPage(page: string, results: readonly Result[]): string {
  const lines = page.split("\n");
  const first = lines.findIndex((line) => line.startsWith("| ---")) + 1;
  const rows = new Map(
    lines.slice(first).filter((line) => line.startsWith("| ")).map((line) => [nameOf(line), line]),
  );
  for (const result of results) if (!LIKE_ANOTHER.has(result.name)) rows.set(result.name, rowOf(result));
  const sorted = [...rows].sort(([a], [b]) => a < b ? -1 : 1).map(([, row]) => row);
  return `${[...lines.slice(0, first), ...sorted].join("\n")}\n`;
}

function nameOf(row: string): string {
  return row.split("|")[1]?.trim() ?? "";
}

function rowOf({ name, about, unit, better, standings }: Result): string {
  const all = standings.map((one) => {
    if (one.median === undefined) return `${one.name}: absent, ${one.absent ?? "not run"}`;
    const [least, most] = one.spread ?? [1, 1];
    const spread = least === 1 && most === 1 ? "" : `, ${short(least)} to ${short(most)}`;
    return `${one.name} **${short(one.ratio)}** (${short(one.median)}${spread})`;
  });
  const what = `${about.replace(/\.$/, "") || name}: ${unit}, ${better} is better`;
  return `| ${name} | ${what} | ${all.join("<br>")} |`;
}

function short(figure: number | undefined): string {
  if (figure === undefined) return "-";
  return figure >= 100 ? figure.toFixed(0) : String(Number(figure.toPrecision(3)));
}

const COLUMNS = {
  "50, list": "engine-list-50",
  "gzipped": "engine-list-gzip-50",
  "inspect": "engine-inspect-50",
  "500, list": "engine-list-500",
  "gzipped ": "engine-list-gzip-500",
  "inspect ": "engine-inspect-500",
};
const TABLE = /(?<=<!-- speed: `deno task speed` -->\n\n)(?:\|.*\n)*/;

/** Returns the README with its table, if all that it shows was measured. */
export function readmePage(page: string, results: readonly Result[]): string {
  const shown = Object.values(COLUMNS).flatMap((name) => results.find((one) => one.name === name) ?? []);
  if (shown.length < Object.keys(COLUMNS).length) return page;
  const rows = [["requests a second, ratio", ...Object.keys(COLUMNS).map((name) => name.trim())]];
  for (const [at, { name }] of (shown[0]?.standings ?? []).entries()) {
    rows.push([name, ...shown.map(({ standings }) => short(standings[at]?.ratio))]);
  }
  return page.replace(TABLE, aligned(rows));
}

function aligned(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  const lines = rows.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`);
  lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
  return lines.map((line) => `${line}\n`).join("");
}

async function measured(): Promise<Result[]> {
  const results: Result[] = [];
  for await (const { name } of Deno.readDir(RESULTS)) {
    if (name.endsWith(".json")) results.push(JSON.parse(await Deno.readTextFile(new URL(name, RESULTS))));
  }
  return results;
}

if (import.meta.main) {
  const results = await measured();
  for (const [path, write] of [["speed.md", speedPage], ["../README.md", readmePage]] as const) {
    const file = new URL(path, import.meta.url);
    await Deno.writeTextFile(file, write(await Deno.readTextFile(file), results));
  }
}
