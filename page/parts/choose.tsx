/** A filter of a screen, which the address keeps: one of some values, or all. */
import { go, query, withQuery } from "../router.ts";
import { shown } from "./shown.ts";

export function Choose(
  { name, label, all, options, word = (value) => value, also = {} }: {
    /** The name of the parameter in the address. */
    readonly name: string;
    readonly label: string;
    readonly all: string;
    readonly options: readonly string[];
    readonly word?: (value: string) => string;
    /** Further parameters to clear in the address. */
    readonly also?: Readonly<Record<string, null>>;
  },
) {
  return (
    <select
      aria-label={label}
      value={query.value.get(name) ?? ""}
      onChange={({ currentTarget }) =>
        go(withQuery({ [name]: currentTarget.value, ...also }), { replace: true })}
    >
      <option value="">{all}</option>
      {options.map((value) => <option key={value} value={value}>{shown(word(value))}</option>)}
    </select>
  );
}

/** Returns the found values in order, and the chosen one even if it is not found any more. */
export function offered(found: Iterable<string>, chosen: string | null): readonly string[] {
  return [...new Set([...found, ...(chosen ? [chosen] : [])])].sort();
}
