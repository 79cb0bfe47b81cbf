/** An entry of the audit log as one message of RFC 5424. */
import type { SealedEntry } from "../../core/audit_store.ts";
import { placeText } from "./place.ts";

/** Facility 13 is "log audit"; what was refused is a warning, the rest is information. */
const AUDIT = 13 * 8;
const SEVERITY = { changes: 6, refusals: 4 } as const;
const MAX_HOST = 255;

/** The message is JSON in plain ASCII, so that nothing in an entry can end a line, begin another, or look like one. */
export function syslogLine(entry: SealedEntry, host: string): string {
  const { chain, seq, mac, at, id: _, ...rest } = entry;
  const named = host.replace(/[^\x21-\x7e]/g, "").slice(0, MAX_HOST) || "-";
  const end = placeText(chain, { seq, mac });
  // 32473 is the number that RFC 5612 sets aside for those who have none.
  const data = `[berth@32473 chain="${chain}" seq="${seq}" head="${end}"]`;
  return `<${AUDIT + SEVERITY[chain]}>1 ${new Date(at).toISOString()} ${named} berth - ${chain} ${data} ` +
    JSON.stringify({ seq, ...rest }).replace(/[^\x20-\x7e]/g, escaped);
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
