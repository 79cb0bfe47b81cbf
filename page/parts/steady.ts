/** Keeps rows where they are while the pointer or the focus is on their list: nobody clicks what was another row before. */
import { useRef, useState } from "preact/hooks";

export interface Steady<Row> {
  readonly rows: readonly Row[];
  /** Properties of the list's element. */
  readonly held: {
    readonly onPointerEnter: () => void;
    readonly onPointerLeave: () => void;
    readonly onFocusIn: () => void;
    readonly onFocusOut: () => void;
  };
}

export function useSteady<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Steady<Row> {
  const [holders, setHolders] = useState(0);
  const order = useRef<readonly string[]>([]);
  const set = (bit: number, isOn: boolean) => setHolders((before) => isOn ? before | bit : before & ~bit);
  const shown = holders === 0 ? rows : inOrder(rows, keyOf, order.current);
  order.current = shown.map(keyOf);
  return {
    rows: shown,
    held: {
      onPointerEnter: () => set(1, true),
      onPointerLeave: () => set(1, false),
      onFocusIn: () => set(2, true),
      onFocusOut: () => set(2, false),
    },
  };
}

/** Returns the rows in the order of before; new ones come last, in their own. */
function inOrder<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  before: readonly string[],
): readonly Row[] {
  const places = new Map(before.map((key, at) => [key, at]));
  const placeOf = (row: Row) => places.get(keyOf(row)) ?? Infinity;
  return rows.toSorted((one, other) => {
    const [first, second] = [placeOf(one), placeOf(other)];
    return first === second ? 0 : first - second;
  });
}
