/** Writes `docs/speed.md` out of what the benches measured last. */

const FILE = new URL("speed.md", import.meta.url);
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

${result.about || result.name}: ${result.unit}, ${result.better} is better, medians of ${result.turns} turns.

| | median | ratio | spread |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}

function short(figure: number | undefined): string {
  if (figure === undefined) return "-";
  return figure >= 100 ? figure.toFixed(0) : String(Number(figure.toPrecision(3)));
}

if (import.meta.main) await Deno.writeTextFile(FILE, await speedPage());
