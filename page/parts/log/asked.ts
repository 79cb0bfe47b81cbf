/** The search in a log, as the address holds it. */
import type { Asked } from "../../live/wanted.ts";
import { go, query, withQuery } from "../../router.ts";

export function askedNow(): Asked {
  const { value } = query;
  return {
    text: value.get("q") ?? "",
    isPattern: value.has("pattern"),
    matchCase: value.has("case"),
    onlyErrors: value.has("errors"),
  };
}

/** True if long lines are wrapped. */
export function isWrapped(): boolean {
  return query.value.has("wrap");
}

/** True if lines without a match are shown, too. */
export function isAmongOthers(): boolean {
  return query.value.has("among");
}

export function ask(changed: { readonly q?: string } & Partial<Record<Switch, boolean>>): void {
  const entries = Object.entries(changed).map(([name, value]) =>
    [name, typeof value === "boolean" ? value ? "1" : null : value] as const
  );
  go(withQuery(Object.fromEntries(entries)), { replace: true });
}

export type Switch = "pattern" | "case" | "errors" | "among" | "wrap";
