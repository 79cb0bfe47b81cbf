/** Promises of reading a command line by the table. */
import assert from "node:assert/strict";
import { asOneWord, sizeOf } from "../../commands/exec.ts";
import { HELP, parseLine } from "../../commands/parse.ts";
import type { Line } from "../../commands/command.ts";
import { commandOf, COMMANDS } from "../../commands/table.ts";
import { commandOf as programOf } from "../../plugins/containers/exec/routes.ts";

const parse = (name: string, ...words: string[]) => parseLine(commandOf(name)!, words);

Deno.test("parseLine takes options before, behind and attached, short and long", () => {
  for (
    const words of [
      ["--follow", "--tail", "5", "web"],
      ["web", "-f", "-n", "5"],
      ["--tail=5", "-f", "--", "web"],
    ]
  ) {
    const line = parse("logs", ...words) as Line;
    assert.deepEqual([line.args, line.option("--follow"), line.option("--tail")], [["web"], "", "5"]);
    assert.equal(line.option("--since"), undefined);
  }
});

Deno.test("exec sends the size of a terminal, and nothing for one of 0 by 0, which berth would refuse", () => {
  assert.deepEqual(sizeOf({ columns: 80, rows: 24 }), { cols: 80, rows: 24 });
  assert.equal(sizeOf({ columns: 0, rows: 0 }), null);
  assert.equal(sizeOf({ columns: 0, rows: 24 }), null);
});

Deno.test("parseLine leaves what stands behind exec's container as it is", () => {
  const line = parse("exec", "-u", "root", "web", "ls", "--help", "-u", "--") as Line;

  assert.deepEqual([line.args, line.option("--user")], [["web", "ls", "--help", "-u", "--"], "root"]);
});

Deno.test("berth exec runs a single word as the program that the shell meant", () => {
  const words = ["ls", "/opt/my tool", "/it's here", '"quoted"', "it's", 'a\tb"', "C:\\tool", "'", "a b\\"];
  for (const word of words) assert.deepEqual(programOf(asOneWord([word])), [word]);
  assert.deepEqual(programOf(asOneWord(["sh", "-c", "echo 'a b'"])), ["sh", "-c", "echo 'a b'"]);
  assert.deepEqual(asOneWord([]), [], "without a command the best shell runs");
  assert.throws(() => asOneWord(['it\'s "this"']), /both kinds of quotes/);
});

for (
  const [name, words, sentence] of [
    ["validate", [], "<folder> is missing"],
    ["validate", [""], "<folder> is empty"],
    ["validate", ["a", "b"], '"b" is one argument too many'],
    ["validate", ["a", "--formt=json"], 'there is no option "--formt"'],
    ["validate", ["a", "--format"], "--format needs a <format>"],
    ["validate", ["a", "--format", "xml"], '--format is one of text, json, sarif, github, not "xml"'],
    ["serve", ["now"], '"now" is one argument too many'],
    ["ls", ["--json=yes"], "--json takes no value"],
    ["completion", ["tcsh"], '"tcsh" is not one of bash, zsh, fish'],
  ] as const
) {
  Deno.test(`parseLine refuses "${[name, ...words].join(" ")}" in one sentence`, () => {
    assert.equal(parse(name, ...words), sentence);
  });
}

Deno.test("parseLine answers --help before anything else is missing", () => {
  for (const { name } of COMMANDS) assert.equal(parse(name, "--help"), HELP);
});

Deno.test("every command of the table has a file that can be run, and only optional arguments behind the first", async () => {
  for (const { name, load, args, options } of COMMANDS) {
    assert.equal(typeof (await load()).run, "function", name);
    for (const { optional } of args.slice(1)) assert.equal(optional, true, name);
    const flags = options.flatMap((option) => [option.name, option.short ?? option.name]);
    assert.equal(
      new Set(flags).size,
      new Set(options.flatMap((o) => o.short ? [o.name, o.short] : [o.name])).size,
    );
  }
});
