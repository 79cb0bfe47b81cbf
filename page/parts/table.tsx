/** A list of a few hundred rows with named columns; on a phone each row becomes a block of named lines. */
import type { ComponentChildren } from "preact";

export interface Column<T> {
  readonly head: string;
  readonly cell: (item: T) => ComponentChildren;
  /** `short` stays in one line; `end` for figures; `acts` for what can be done with the row. */
  readonly kind?: "name" | "short" | "end" | "acts";
}

export function Table<T>(
  { label, columns, items, keyOf, isDim = () => false, isTerse = false }: {
    readonly label: string;
    readonly columns: readonly Column<T>[];
    readonly items: readonly T[];
    readonly keyOf: (item: T) => string | number;
    readonly isDim?: (item: T) => boolean;
    /** Cells that need no name on a phone: they flow one after the other. */
    readonly isTerse?: boolean;
  },
) {
  return (
    <table class={isTerse ? "listing is-terse" : "listing"} aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ head, kind }) => (
            <th key={head} scope="col" class={`is-${kind ?? "plain"}`}>
              {kind === "acts" ? <span class="unseen">{head}</span> : head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={keyOf(item)} class={isDim(item) ? "is-dim" : ""}>
            {columns.map(({ head, cell, kind }) => (
              <td key={head} data-head={head} class={`is-${kind ?? "plain"}`}>{cell(item)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
