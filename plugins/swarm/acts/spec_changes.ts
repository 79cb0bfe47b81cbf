/** The fields in which two definitions of a service differ, with secrets masked. */
import { maskObject } from "../../../engines/rows/mask.ts";
import { textsOf, type Wire } from "../../../engines/calls/wire.ts";
import type { SpecChange } from "./said.ts";

const MOST_CHANGES = 100;
const MOST_TEXT = 1_000;

/** Returns the fields that differ, by their names, 100 at most. */
export function changesBetween(before: Wire, after: Wire): SpecChange[] {
  const [from, to] = [leavesOf(before), leavesOf(after)];
  const [shownFrom, shownTo] = [leavesOf(maskObject(before)), leavesOf(maskObject(after))];
  return [...new Set([...from.keys(), ...to.keys()])].sort()
    .filter((field) => from.get(field) !== to.get(field))
    .slice(0, MOST_CHANGES)
    .map((field) => {
      const [old = null, now = null] = [shownFrom.get(field), shownTo.get(field)];
      const [from, to] = [cut(old), cut(now)];
      return { field, from, to: from === to && from !== null ? "(another value)" : to };
    });
}

/** Cuts what is shown; whole values are compared. */
const cut = (text: string | null): string | null => text?.slice(0, MOST_TEXT) ?? null;

/** Returns all values by their fields; a variable of the environment by its name. */
function leavesOf(spec: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (value: unknown, field: string): void => {
    if (typeof value !== "object" || value === null) {
      if (value !== null && value !== undefined) found.set(field, String(value));
    } else if (Array.isArray(value)) {
      if (/(?:^|\.)Env$/.test(field)) {
        for (const entry of textsOf(value)) {
          const equals = entry.indexOf("=");
          const name = equals < 0 ? entry : entry.slice(0, equals);
          found.set(`${field}.${name}`, equals < 0 ? "" : entry.slice(equals + 1));
        }
      } else value.forEach((one, index) => visit(one, `${field}[${index}]`));
    } else {
      for (const [name, one] of Object.entries(value)) visit(one, field === "" ? name : `${field}.${name}`);
    }
  };
  visit(spec, "");
  return found;
}
