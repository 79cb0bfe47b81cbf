/** Writes `docs/speed.md`, and the README's short table, out of what the benches measured last. */

const FILE = new URL("speed.md", import.meta.url);
const README = new URL("../README.md", import.meta.url);
const RESULTS = new URL("../bench/results/", import.meta.url);

interface Result {
  readonly name: string;
  readonly about: string;
  readonly unit: string;
  readonly better: "less" | "more";
  readonly turns: number;
  readonly standings: readonly {
    readonly name: string;
    readonly absent?: string;
    readonly median?: number;
    readonly ratio?: number;
    readonly spread?: readonly [number, number];
  }[];
}

export async function speedPage(): Promise<string> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(RESULTS)) if (name.endsWith(".json")) names.push(name);
  const sections: string[] = [];
  for (const name of names.sort()) {
    sections.push(section(JSON.parse(await Deno.readTextFile(new URL(name, RESULTS)))));
  }
  return `# How fast it is

<!-- Written by \`deno task docs\` from bench/results/, which \`deno task bench\` writes; a test holds it to that. -->

Every table is one run on a machine with two cores, its competitors taking turns. Only the ratios travel: they are of
medians, with the least and the greatest ratio within one turn behind them. \`deno task bench [name...]\` measures them
again on your machine.

Where we fall short of what we aimed at: a small answer makes less than 0.7 of a bare Hono's requests a second (the
headers that every answer owes its caller leave no more than the table shows without any other work); a live line takes
a little more than twice the time of the engine's own socket, and a thousand sockets hear of an event later than 20 ms
at the 99th percentile, as they do on bare sockets of the runtime; the client costs more than \`openapi-fetch\`, which
has no time limit, retry or login; a list of 500 containers under 36 events a second comes to less than 0.8 of the
quiet rate in some runs; a list by project out of 20,000 containers takes a little more than twice what one out of 1,000
takes.

${sections.join("\n")}`;
}

function section(result: Result): string {
  const rows = result.standings.map((one) =>
    one.median === undefined
      ? `| ${one.name} | absent: ${one.absent ?? "not run"} | | |`
      : `| ${one.name} | ${short(one.median)} | ${short(one.ratio)} | ${short(one.spread?.[0])} to ${
        short(one.spread?.[1])
      } |`
  );
  return `## ${result.name}

${result.about.replace(/\.$/, "") || result.name}: ${result.unit}, ${result.better} is better, ${
    result.turns === 1 ? "one turn" : `medians of ${result.turns} turns`
  }.

| | median | ratio | spread |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
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
const TABLE = /(?<=<!-- speed: `deno task docs` -->\n\n)(?:\|.*\n)*/;

/** The README with its table brought up to what was measured. */
export async function readmePage(): Promise<string> {
  const results: Result[] = [];
  for (const name of Object.values(COLUMNS)) {
    results.push(JSON.parse(await Deno.readTextFile(new URL(`${name}.json`, RESULTS))));
  }
  const rows = [["requests a second, ratio", ...Object.keys(COLUMNS).map((name) => name.trim())]];
  for (const [at, { name }] of (results[0]?.standings ?? []).entries()) {
    rows.push([name, ...results.map(({ standings }) => short(standings[at]?.ratio))]);
  }
  return (await Deno.readTextFile(README)).replace(TABLE, aligned(rows));
}

function aligned(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  const lines = rows.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`);
  lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
  return lines.map((line) => `${line}\n`).join("");
}

if (import.meta.main) {
  await Deno.writeTextFile(FILE, await speedPage());
  await Deno.writeTextFile(README, await readmePage());
}
