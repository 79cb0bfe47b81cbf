/** Finds every value of a YAML text without parsing it, for a text that no parser can vouch for. */

import type { Span } from "../../core/secrets.ts";

const INDICATORS = /^[ \t]*(?:[-?:](?:[ \t]+|$))*/;
const KEY = /^(?:[\w./-]{1,64}|"[\w./-]{1,64}"|'[\w./-]{1,64}')[ \t]*:(?=\s|$)[ \t]*/;
/** The author's text follows in the next lines. */
const BLOCK = /^[|>][-+\d]{0,2}(?=\s|$)[ \t]*/;
/** An anchor or a tag in front of lines that have keys of their own. */
const PROPERTIES = /^[&!]\S+(?:[ \t]+[&!]\S+)*$/;
/** Brackets and document marks, which hold nothing. */
const EMPTY = /^(?:[[\]{},]+|---|\.\.\.)$/;

const WITH_TAB = /^[ \t]*\t/m;
const WITH_SPACE = /^[ \t]* /m;

/**
 * Everything but keys, indentation, the signs of lists and comments, and brackets on lines of their own. A line that
 * is indented deeper than a value continues it, as in YAML, so nothing in it is taken for a key. Where some lines are
 * indented by tabs and others by spaces, nobody can tell how deep one with a tab stands: all of it is a value, and so
 * is what follows up to a line without indentation.
 */
export function* everyValue(text: string): Generator<Span> {
  let offset = 0;
  let continued = Infinity;
  const isMixed = WITH_TAB.test(text) && WITH_SPACE.test(text);
  for (const line of text.split("\n")) {
    const end = line.trimEnd().length;
    const indent = line.length - line.trimStart().length;
    const isDoubtful = isMixed && WITH_TAB.test(line);
    const isContinued = (isDoubtful || indent > continued) && end > 0;
    if (isDoubtful && isContinued) continued = 0;
    else if (end > 0 && !isContinued) continued = Infinity;
    const start = isContinued ? indent : INDICATORS.exec(line)![0].length; // matches any line
    const rest = line.slice(start, end);
    const key = isContinued ? 0 : KEY.exec(rest)?.[0].length ?? 0;
    const found = valueIn(rest.slice(key), isContinued);
    if (found !== null) {
      yield [offset + start + key + found.from, offset + end];
      // A value that follows no key belongs to the innermost list, whose sign stands before it.
      if (found.continues) continued = key > 0 ? start : Math.max(indent, start - 1);
    } else if (BLOCK.test(rest.slice(key))) continued = key > 0 ? start : Math.max(indent, start - 1);
    offset += line.length + 1;
  }
}

/** Finds the beginning of a line's value; null where it has none. */
function valueIn(value: string, isContinued: boolean): { from: number; continues: boolean } | null {
  if (value === "" || (!isContinued && EMPTY.test(value))) return null;
  if (isContinued) return { from: 0, continues: false };
  const from = BLOCK.exec(value)?.[0].length ?? 0;
  if (value[from] === "#") {
    const text = value.slice(from + 1).trimStart().length;
    return text === 0 ? null : { from: value.length - text, continues: from > 0 };
  }
  return from === value.length ? null : { from, continues: !PROPERTIES.test(value) };
}
