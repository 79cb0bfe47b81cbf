/** An entry of the audit log as a sentence. */
import type { AuditEntry } from "../../client/berth/system.ts";
import { words } from "../words/en_later.ts";

type Entry = Pick<AuditEntry, "action" | "target" | "particulars">;

/** Returns the sentence without its subject; null for an act that this page does not know. */
export function sentenceOf({ action, target, particulars }: Entry): string | null {
  const step = /^apply (.+)$/.exec(action)?.[1];
  if (step !== undefined) {
    const kinds: Readonly<Record<string, string>> = words.applies.kinds;
    return Object.hasOwn(kinds, step) ? words.audit.step(kinds[step]!, target ?? "") : null;
  }
  if (action === "POST /api/system/prune" && particulars?.dryRun === "true") return words.audit.listedUnused;
  const said: Readonly<Record<string, string>> = words.audited;
  if (!Object.hasOwn(said, action)) return null;
  const parts: Readonly<Record<string, string>> = {
    target: target ?? "",
    ...particulars,
    ...partsOf(action, target),
  };
  const sentence = said[action]!
    .replaceAll(OPTIONAL, (_, text, name) => Object.hasOwn(parts, name) ? text : "")
    .replaceAll(/\{(\w+)\}/g, (_, name) => brief(parts[name] ?? "…"));
  return particulars?.dryRun === "true" ? words.audit.onlyShown(sentence) : sentence;
}

/** Words in brackets are said where the part in them is known. */
const OPTIONAL = /\[([^[\]]*\{(\w+)\}[^[\]]*)\]/g;

/** Returns the beginning of an id that berth made, and of a commit; the whole stands in what the sentence unfolds to. */
const brief = (text: string): string =>
  /^(?:[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{40})$/.test(text) ? text.slice(0, 8) : text;

/** Returns the parts of the path that a request was sent to, by their names in its route. */
function partsOf(action: string, target: string | null): Readonly<Record<string, string>> {
  const route = action.slice(action.indexOf(" ") + 1);
  const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  // The last one of a route may hold slashes, as the path of a file does.
  const pattern = route.split(/\{\w+\}/).map(escaped).reduce((all, next, at) =>
    `${all}${at === names.length && next === "" ? "(.+)" : "([^/]+)"}${next}`
  );
  const found = new RegExp(`^${pattern}$`).exec(target ?? "");
  return Object.fromEntries(names.flatMap((name, at) => {
    const value = found?.[at + 1];
    return value === undefined ? [] : [[name, decoded(value)]];
  }));
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
