/** Keeps what a text with errors holds out of messages and lists. */

import { MASK } from "../../core/secrets.ts";
import type { Entry, Finding, Node } from "../artifact.ts";

/** A key as people write it. In a text with errors, the parser takes other text for keys, too. */
const KEY = /^[\w./-]{1,64}$/;

/** Removes the author's text from a message of the parser: what a broken text holds may be a secret. */
export function withoutQuotations(message: string): string {
  return message.replace(
    /(escape sequence|extra characters|Unresolved tag|directive|version)\b.*|:\s*".*/s,
    "$1",
  );
}

/** Removes the names of keys from the findings of a text with errors, where they may be other text. */
export function withoutKeys(findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => {
    const { data: { key: _key, ...data } = {}, ...rest } = finding;
    const message = rest.message.replace(/^Key .* is (already defined|not a string)$/s, "A key is $1");
    return message === rest.message ? finding : { ...rest, message, data };
  });
}

/** Lets nothing show the values of a text with errors: in such a text nobody can tell which of them are secrets. */
export function hide(node: Node & { written?: string }, seen: Set<Node> = new Set()): void {
  if (seen.has(node)) return;
  seen.add(node);
  if (node.kind === "scalar") {
    if (node.value !== null) node.written = MASK;
  } else if (node.kind === "list") {
    for (const item of node.items) hide(item, seen);
  } else {
    const entries = node.entries as Map<string, Entry>; // the parser has just made it
    for (const [key, { value }] of entries) {
      if (KEY.test(key)) hide(value, seen);
      else entries.delete(key);
    }
  }
}
