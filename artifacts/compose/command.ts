/** A command line in one text, as Compose splits it: quotes and backslashes count, nothing is expanded. */

import type { Node } from "../artifact.ts";
import { textOf } from "../yaml/values.ts";

interface SplitCommand {
  readonly words: readonly string[];
  /** The offset at which Compose stops reading: it takes nothing behind an operator of the shell. */
  readonly cutAt: number | null;
}

/** Null where a quote or bracket is not closed, or one stands where none may. */
export function splitCommand(line: string): SplitCommand | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let i = 0; i < line.length; i++) {
    const sign = line[i]!;
    const inWord = (text: string) => word = (word ?? "") + text;
    if (sign === "\\" && quote !== "'") {
      if (++i === line.length) return null;
      inWord(line[i]!);
    } else if (/\s/.test(sign)) {
      if (quote !== null) word = (word ?? "") + sign;
      else if (word !== null) {
        words.push(word);
        word = null;
      }
    } else if (quote === "'" || quote === '"') {
      word ??= "";
      if (sign === quote) quote = null;
      else inWord(sign);
    } else if (quote === "`" || quote === ")") {
      if (sign === "(" && quote === ")") return null;
      if (quote === "`" && (sign === "'" || sign === '"')) return null;
      inWord(sign);
      if (sign === quote) quote = null;
    } else if (sign === "'" || sign === '"') {
      quote = sign;
    } else if (sign === "`") {
      quote = sign;
      inWord(sign);
    } else if (sign === "(") {
      if (!(word ?? "").endsWith("$")) return null;
      quote = ")";
      inWord(sign);
    } else if (sign === ")") {
      // Half of a pair: nothing closes it.
      return null;
    } else if (";&|<>".includes(sign)) {
      // `2>` begins with the number of a stream, not with a word.
      const isStream = sign === ">" && /^\d/.test(word ?? "");
      if (word !== null && !isStream) words.push(word);
      return { words, cutAt: i };
    } else inWord(sign);
  }
  if (quote !== null) return null;
  if (word !== null) words.push(word);
  return { words, cutAt: null };
}

/** The words of a command in either form; null where it is not declared, not known or no command. */
export function wordsOf(node: Node | null): readonly string[] | null {
  if (node === null) return null;
  if (node.kind === "list") {
    const words = node.items.map(textOf);
    return words.some((word) => word === null) ? null : words as string[]; // none is null
  }
  const text = textOf(node);
  return text === null ? null : splitCommand(text)?.words ?? null;
}
