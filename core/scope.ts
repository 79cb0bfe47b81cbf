/** Scopes, written as text: what a grant may be limited to. */

/** One engine, one workspace, one Compose project, or what carries a label: `engine:nas`, `label:team=web`. */
export type Scope = string;

export const MAX_SCOPE = 300;
/** The forms of a scope, for messages. */
export const SCOPES_IN_WORDS = '"engine:<name>", "workspace:<id>", "project:<name>" or "label:<key>=<value>"';

const SHAPE =
  /^(?:engine|workspace|project):[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$|^label:[A-Za-z0-9][\w./-]*=[^\p{C}]*$/u;

/** The form of a scope for the API document, whose readers know no classes of characters. */
export const SCOPE_FORM = String
  .raw`^(?:(?:engine|workspace|project):[A-Za-z0-9][A-Za-z0-9_.-]{0,254}|label:[A-Za-z0-9][A-Za-z0-9_./-]*=[^\x00-\x1f\x7f-\x9f]*)$`;

export function isScope(given: string): boolean {
  return given.length <= MAX_SCOPE && SHAPE.test(given);
}
