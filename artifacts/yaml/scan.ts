/** Finds texts made to exhaust a YAML parser, before they are parsed, in one linear pass. */

import { Lexer } from "yaml";
import { YAML_BUDGETS } from "./budgets.ts";

export interface Excess {
  readonly code: "yaml/too-deep" | "yaml/alias-bomb";
  readonly offset: number;
  readonly message: string;
}

const TAB = 9, NEWLINE = 10, RETURN = 13, SPACE = 32, DASH = 45, COLON = 58, QUESTION = 63;
const AMPERSAND = 38,
  STAR = 42,
  COMMA = 44,
  OPEN_BRACKET = 91,
  CLOSE_BRACKET = 93,
  OPEN_BRACE = 123,
  CLOSE_BRACE = 125;

/**
 * Null where the text is safe to parse. The pass over-estimates, as brackets in quoted text count too; what looks
 * excessive is confirmed on the lexer's tokens, which are linear and come without recursion.
 */
export function scan(text: string): Excess | null {
  let flow = 0;
  let separators = 0;
  let references = 0;
  let suspicious = false;
  const indents: number[] = [];
  let at = 0;
  const length = text.length;
  while (at < length) {
    const lineStart = at;
    while (at < length && text.charCodeAt(at) === SPACE) at++;
    let levels = 0;
    let column = at - lineStart;
    // Each sign of "- - ? -" opens a level.
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== DASH && code !== QUESTION && code !== COLON) break;
      const next = text.charCodeAt(at + 1);
      if (next !== SPACE && next !== TAB && next !== NEWLINE && next !== RETURN) break;
      levels++;
      at++;
      while (at < length && (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === TAB)) at++;
      separators++;
    }
    const first = text.charCodeAt(at);
    if (levels > 0 || (at < length && first !== NEWLINE && first !== RETURN)) {
      while (indents.length > 0 && indents[indents.length - 1]! >= column) indents.pop();
      indents.push(column);
      // Levels opened inside the line stand one column further each; a few are enough to tell.
      for (let level = 1; level < levels && indents.length <= YAML_BUDGETS.nesting; level++) {
        indents.push(++column);
      }
    }
    separators++;
    let code = first;
    for (; at < length; code = text.charCodeAt(++at)) {
      if (code === NEWLINE) break;
      if (code > CLOSE_BRACE || code === SPACE) continue;
      if (code === OPEN_BRACKET || code === OPEN_BRACE) flow++;
      else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
        if (flow > 0) flow--;
      } else if (code === COMMA || code === COLON) {
        if (++separators > YAML_BUDGETS.separators) return tooMany("values", YAML_BUDGETS.separators, at);
      } else if (code === AMPERSAND || code === STAR) {
        if (!isReference(text, at) || ++references <= YAML_BUDGETS.anchorsAndAliases) continue;
        return tooMany("anchors and aliases", YAML_BUDGETS.anchorsAndAliases, at);
      }
      if (flow > YAML_BUDGETS.nesting) {
        suspicious = true;
        break;
      }
    }
    // No text has so many dashes in a row that each opens a list.
    if (levels > YAML_BUDGETS.nesting) return tooDeep(lineStart);
    if (suspicious || indents.length > YAML_BUDGETS.nesting) {
      suspicious = true;
      break;
    }
    at = at < length ? at + 1 : at;
  }
  if (separators > YAML_BUDGETS.separators) return tooMany("values", YAML_BUDGETS.separators, 0);
  return suspicious ? confirm(text) : null;
}

function tooDeep(offset: number): Excess {
  return { code: "yaml/too-deep", offset, message: `Nested over ${YAML_BUDGETS.nesting} levels deep` };
}

function tooMany(what: string, limit: number, offset: number): Excess {
  return { code: "yaml/alias-bomb", offset, message: `Over ${limit} ${what} in one file` };
}

/** A word directly behind the sign, and before it what may stand before a value. */
function isReference(text: string, at: number): boolean {
  const before = at === 0 ? SPACE : text.charCodeAt(at - 1);
  const after = text.charCodeAt(at + 1);
  return (before <= SPACE || before === OPEN_BRACKET || before === OPEN_BRACE || before === COMMA) &&
    after > SPACE && after !== AMPERSAND && after !== STAR;
}

/** Counts on tokens how deep values nest, which the pass only estimates. */
function confirm(text: string): Excess | null {
  let offset = 0;
  let flow = 0;
  let column = 0;
  let atLineStart = true;
  const indents: number[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    if (isControl(lexeme)) continue;
    switch (lexeme.charCodeAt(0)) {
      case NEWLINE:
      case RETURN:
      case SPACE:
      case TAB:
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        flow++;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        flow--;
        break;
      case DASH:
      case QUESTION:
        if (lexeme.length === 1 && flow === 0) level(indents, column);
        atLineStart = false;
        break;
      default:
        if (atLineStart && flow === 0) level(indents, column);
        atLineStart = false;
    }
    if (flow + indents.length > YAML_BUDGETS.nesting) {
      return tooDeep(offset);
    }
    offset += lexeme.length;
    const newline = lexeme.lastIndexOf("\n");
    column = newline === -1 ? column + lexeme.length : lexeme.length - newline - 1;
    if (newline !== -1) atLineStart = true;
  }
  return null;
}

function level(indents: number[], column: number): void {
  while (indents.length > 0 && indents[indents.length - 1]! >= column) indents.pop();
  indents.push(column);
}

/** The lexer marks documents, flow ends and scalars with one control character that is not in the text. */
function isControl(lexeme: string): boolean {
  return lexeme === "\x02" || lexeme === "\x18" || lexeme === "\x1f";
}
