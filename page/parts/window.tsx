/** A long list that draws only the rows in view, and is walked by keyboard as if all were drawn. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { words } from "../words/en.ts";
import { isDense } from "./dense.ts";

export interface RowsProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  /** Named once above the rows. */
  readonly head: ComponentChildren;
  /** The cells of one row, each a `gridcell`. */
  readonly cells: (item: T) => ComponentChildren;
  readonly isChosen: (item: T) => boolean;
  readonly open: (item: T) => void;
  readonly choose: (item: T) => void;
}

/** Rows beyond both ends of the view, so that scrolling shows no gaps. */
const MORE = 8;

export function Rows<T>(
  { label, items, keyOf, head, cells, isChosen, open, choose }: RowsProps<T>,
) {
  const box = useRef<HTMLDivElement>(null);
  const space = useRef<HTMLDivElement>(null);
  const drawn = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800, row: 32 });
  /** The item to act on by its key, for items come and go above it; before the first focus there is none. */
  const [focused, setFocused] = useState<string | null>(null);
  /** Its place when it was last drawn: the item there takes over where it is gone. */
  const place = useRef(0);
  const moved = useRef(false);

  const measure = () => {
    const { current } = box;
    if (current === null) return;
    const row = Number.parseFloat(getComputedStyle(current).getPropertyValue("--row")) || 32;
    setView({ top: current.scrollTop, height: current.clientHeight, row });
  };
  useEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, [isDense.value]);

  const first = Math.max(0, Math.floor(view.top / view.row) - MORE);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / view.row) + MORE);
  const found = focused === null ? -1 : placeOf(items, keyOf, focused, place.current);
  const current = found === -1 ? Math.min(place.current, Math.max(0, items.length - 1)) : found;
  // Asked before the rows are drawn: with the row of an item that is gone the focus is, too.
  const hadFocus = box.current?.contains(document.activeElement) === true;

  useLayoutEffect(() => {
    space.current!.style.height = `${items.length * view.row}px`;
    drawn.current!.style.translate = `0 ${first * view.row}px`;
  });
  useLayoutEffect(() => {
    place.current = current;
    const isGone = focused !== null && found === -1;
    if (isGone) setFocused(items[current] === undefined ? null : keyOf(items[current]));
    if (!moved.current && !(isGone && hadFocus)) return;
    moved.current = false;
    box.current?.querySelector<HTMLElement>(`[aria-rowindex="${current + 2}"]`)?.focus({
      preventScroll: true,
    });
  });

  const moveTo = (index: number) => {
    const next = Math.max(0, Math.min(items.length - 1, index));
    const list = box.current!;
    const top = next * view.row;
    if (top < list.scrollTop) list.scrollTop = top;
    const headHeight = list.querySelector<HTMLElement>(".rows-head")?.offsetHeight ?? 0;
    const most = top + view.row + headHeight - list.clientHeight;
    if (most > list.scrollTop) list.scrollTop = most;
    moved.current = true;
    setFocused(items[next] === undefined ? null : keyOf(items[next]));
    measure();
  };
  const page = Math.max(1, Math.floor(view.height / view.row) - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const item = items[current];
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: current + 1,
      j: current + 1,
      ArrowUp: current - 1,
      k: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: items.length - 1,
    };
    const to = steps[event.key];
    if (event.key === "." && item !== undefined && !isChosen(item)) choose(item);
    if (to !== undefined) moveTo(to);
    else if (item !== undefined && (event.key === "x" || event.key === " ")) choose(item);
    else if (item !== undefined && event.key === "Enter" && (event.target as Element).role === "row") {
      open(item);
    } else return;
    event.preventDefault();
  };
  return (
    <div
      class="rows-box"
      role="grid"
      aria-label={label}
      aria-rowcount={items.length + 1}
      aria-multiselectable="true"
      ref={box}
      onScroll={measure}
      onKeyDown={onKeyDown}
    >
      <div class="rows-head" role="row" aria-rowindex={1}>{head}</div>
      <div class="rows-space" role="presentation" ref={space}>
        <div class="rows-drawn" role="presentation" ref={drawn}>
          {items.slice(first, last).map((item, index) => (
            <div
              key={keyOf(item)}
              class="rows-row"
              role="row"
              aria-rowindex={first + index + 2}
              aria-selected={isChosen(item)}
              tabIndex={first + index === current ? 0 : -1}
              onFocusIn={() => setFocused(keyOf(item))}
            >
              {cells(item)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

/** Returns where the item of this key is, which mostly is where it was; -1 if it is gone. */
function placeOf<T>(items: readonly T[], keyOf: (item: T) => string, key: string, was: number): number {
  const there = items[was];
  return there !== undefined && keyOf(there) === key ? was : items.findIndex((item) => keyOf(item) === key);
}

/** The box that chooses a row; one focus a row is enough, so it is reached by `x`. */
export function Choice(
  { name, isChosen, choose }: {
    readonly name: string;
    readonly isChosen: boolean;
    readonly choose: () => void;
  },
) {
  return (
    <input
      type="checkbox"
      tabIndex={-1}
      checked={isChosen}
      aria-label={words.containers.choose(name)}
      onClick={choose}
    />
  );
}
