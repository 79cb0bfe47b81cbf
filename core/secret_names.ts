/** Recognises the names whose values are secrets. */

/** The place of a secret in a text: from its first character to the one behind its last. */
export type Span = readonly [start: number, end: number];

/** A name whose value is a secret: of a variable, a label, a key in a file. */
const SECRET_NAME =
  /pass(?:word|wd|phrase)|(?:^|[-_.]|require)pass\b|masterauth|secret|token|credential|jwt|private|api[-_.]?key|access[-_.]?key|(?:^|[-_.])key$|basic[-_.]?auth|\bauth\b|(?:^|[-_.])pwd?\b/i;
/** These name a file or a place, not the secret that is in it. */
const NAMES_A_PLACE = /[-_.](?:file|path|dir|url|uri|name|id|check|type|ttl|timeout|length|policy)$/i;

export function looksSecret(name: string): boolean {
  return SECRET_NAME.test(name) && !NAMES_A_PLACE.test(name);
}
