/** Finds the secrets of YAML that is commented out, where they stand on other lines than the name or program that tells. */
import { argumentSpans, looksSecret, type Span } from "../../core/secrets.ts";

const COMMENTS = /(?:^[ \t]*#.*\n?)+/gm;
const NAMED = /^(?:-[ \t]+)?["']?([\w.-]{1,128})["']?[ \t]*[:=]/;
const FLOW = /\[[^[\]]*/g;
/** Lines that begin with the sign of a list. */
const BLOCK = /(?:^[ \t]*-[ \t]+\S.*\n?)+/gm;
const FLOW_ITEM = /"([^"]*)"|'([^']*)'|[^\s,["'][^,"'\n]*/g;
const BLOCK_ITEM = /(?<=^[ \t]*-[ \t]+)(?:"(.*)"|'(.*)'|\S.*)/gm;

/** No command that people write has more: all of such a list is a secret, and nobody waits for its words. */
const MOST_WORDS = 1_000;

export function* commentedSecrets(text: string): Generator<Span> {
  for (const { 0: block, index } of text.matchAll(COMMENTS)) {
    const bare = block.replace(/^([ \t]*)#/gm, "$1 ");
    for (const [start, end] of [...belowNames(bare), ...inLists(bare)]) yield [index + start, index + end];
  }
}

/** Finds what stands deeper than the name of a secret, as the lines of a block or the items of a list. */
function* belowNames(text: string): Generator<Span> {
  let named = Infinity;
  for (const { 0: line, index } of text.matchAll(/^.*\S.*$/gm)) {
    const indent = line.length - line.trimStart().length;
    if (indent > named) yield [index + indent, index + line.trimEnd().length];
    else named = looksSecret(NAMED.exec(line.trimStart())?.[1] ?? "") ? indent : Infinity;
  }
}

/** Finds the arguments that are secrets by those before them. */
function* inLists(text: string): Generator<Span> {
  for (const [lists, items] of [[FLOW, FLOW_ITEM], [BLOCK, BLOCK_ITEM]] as const) {
    let program: readonly string[] = [];
    for (const { 0: list, index } of text.matchAll(lists)) {
      const found = [...list.matchAll(items)];
      const words = found.map(([item, double, single]) => double ?? single ?? item.trimEnd());
      const isProgram = /entrypoint["']?:\s*$/.test(text.slice(Math.max(0, index - 30), index));
      if (words.length + program.length < 2 && !isProgram) continue;
      if (found.length > MOST_WORDS) {
        yield [index, index + list.trimEnd().length];
        continue;
      }
      for (const [at, [from, to]] of argumentSpans(isProgram ? words : [...program, ...words])) {
        const item = found[isProgram ? at : at - program.length];
        if (item === undefined) continue; // a word of the program
        const start = index + item.index + (/^["']/.test(item[0]) ? 1 : 0);
        yield [start + from, start + to];
      }
      if (isProgram) program = words;
    }
  }
}
