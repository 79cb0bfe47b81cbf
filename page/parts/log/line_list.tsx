/** The lines of a log: only those in view are drawn, and the view stays at the end only while the reader is there. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Moved, Search } from "../../live/lines.ts";
import type { LogFeed } from "../../live/log_feed.ts";
import type { Wanted } from "../../live/wanted.ts";
import { words } from "../../words/en_later.ts";
import { shown } from "../shown.ts";
import { Heights } from "./heights.ts";
import { LineRow } from "./line_row.tsx";
import { Scroll } from "./scroll.ts";

const LINE = 18;
const MORE = 20;

export interface LineListProps {
  readonly feed: LogFeed;
  /** Shows only what it found. */
  readonly only: Search | null;
  /** The text or pattern to mark in each line. */
  readonly wanted: Wanted | null;
  /** Another one whenever there is something else to draw: the lines themselves are not compared. */
  readonly version: string;
  readonly name: string;
  readonly chosen: number | null;
  readonly choose: (number: number | null) => void;
  /** Long lines are broken instead of running out of the view. */
  readonly isWrapped: boolean;
  /** New lines are not shown while it is paused. */
  readonly isPaused: boolean;
  readonly goOn: () => void;
  /** Gets what can be done with the list. */
  readonly view: { current: LineListView | null };
  /** Keys that the list itself has no use for. */
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

export interface LineListView {
  /** Brings a line into view. */
  goTo(number: number): void;
  /** Lines came in before others: the first one in view stays where it is. */
  moved(moved: Moved): void;
}

export function LineList(props: LineListProps) {
  const { feed: { lines, sources }, only: search, wanted: sought, name, chosen, choose, view } = props;
  const { isWrapped, isPaused, goOn } = props;
  const box = useRef<HTMLDivElement>(null);
  const space = useRef<HTMLDivElement>(null);
  const drawn = useRef<HTMLDivElement>(null);
  const scroll = useMemo(() => new Scroll(), [search]);
  const heights = useMemo(() => new Heights(LINE), []);
  const [height, setHeight] = useState(600);
  const [, setTop] = useState(0);
  const [, draw] = useState(0);
  const [isAtEnd, setAtEnd] = useState(true);
  /** The number of the next line when the reader left the end. */
  const seen = useRef(0);
  const gone = search?.gone ?? lines.first;
  const before = useRef(gone);
  /** A line to bring into view, and that the view stays there when the search ends. */
  const wanted = useRef<number | null>(null);
  /** The line that stays the first in view, and how far above it begins. */
  const anchor = useRef<readonly [number: number, above: number] | null>(null);
  const isHeld = useRef(false);
  /** True if the element has to be scrolled to the reader's place; never while the user scrolls it. */
  const isMoved = useRef(true);
  /** A line that was brought to the top of the view has what is before it in view, too. */
  const isLifted = useRef(false);

  const grown = heights.become(!isWrapped);
  if (grown !== 1) {
    scroll.top *= grown;
    isMoved.current = true;
  }
  /** Lines from this number on are not shown yet. */
  const shownTo = useRef(0);
  if (!isPaused) shownTo.current = lines.end;
  const later = isPaused && search !== null ? search.found.findIndex((one) => one >= shownTo.current) : -1;
  const amount = search === null
    ? Math.max(0, shownTo.current - lines.first)
    : later === -1
    ? search.found.length
    : later;
  /** The height of the list in places; once its end is drawn, so that it ends with the view. */
  const content = useRef(0);
  content.current = amount * heights.row;
  if (isAtEnd && !isPaused) seen.current = lines.end;

  const numberAt = (index: number) => search === null ? lines.first + index : search.found[index];
  const indexOf = (number: number) => search === null ? number - lines.first : search.found.indexOf(number);

  const onScroll = () => {
    const { current } = box;
    if (current === null) return; // scrolled, and left before the browser told of it
    const { scrollTop: at, clientHeight: seen } = current;
    const after = isWrapped ? (place: number, pixels: number) => heights.after(place, pixels) : null;
    scroll.moved(at, seen, content.current, after);
    // The element ends where the list does not: it goes on.
    const isAtEdge = at <= 0 || at + seen >= scroll.heightOf(content.current) - 1;
    if (isWrapped && isAtEdge) isMoved.current = true;
    setTop(scroll.top);
    setAtEnd(scroll.top + seen >= content.current - heights.row);
  };
  const onScrollEnd = () => {
    if (!isWrapped && scroll.heightOf(content.current) === content.current) return;
    isMoved.current = true;
    draw((count) => count + 1);
  };
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      setHeight(box.current?.clientHeight ?? 600);
      draw((count) => count + 1); // another width breaks lines elsewhere
    });
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!isHeld.current) setAtEnd(true);
    isHeld.current = false;
  }, [search]);
  view.current = {
    goTo: (number) => {
      wanted.current = number;
      isHeld.current = true;
      setAtEnd(false);
      draw((count) => count + 1);
    },
    moved: ({ numberOf }) => {
      if (search !== null) return; // the search tells by itself how many came in
      const top = before.current + Math.floor(scroll.top / heights.row);
      anchor.current = [numberOf(top), scroll.top % heights.row];
    },
  };

  // Lines that were let go above the view must not move the ones in it.
  const moveTo = (top: number) => {
    scroll.top = top;
    isMoved.current = true;
  };
  if (anchor.current !== null) {
    const [number, above] = anchor.current;
    moveTo(indexOf(number) * heights.row + above);
    anchor.current = null;
    before.current = gone;
  }
  if (before.current !== gone) {
    moveTo(scroll.top - (gone - before.current) * heights.row);
    before.current = gone;
  }
  if (isAtEnd) moveTo(content.current - height);
  /** Returns the distances of a line's edges from the top of the view. */
  const edgesOf = (index: number) =>
    [index, index + 1].map((one) => heights.below(one * heights.row) - heights.below(scroll.top)) as [
      number,
      number,
    ];
  if (wanted.current !== null) {
    const index = indexOf(wanted.current);
    const [top, end] = edgesOf(index);
    if (index >= 0 && (top < 0 || end > height)) {
      moveTo(isWrapped ? index * heights.row : index * heights.row - height / 2);
      isLifted.current = isWrapped;
    }
    if (index >= 0) wanted.current = null;
  }
  const fitting = Math.ceil(height / LINE) + 1;
  const top = Math.max(0, Math.min(Math.floor(scroll.top / heights.row), amount - fitting));
  const first = Math.max(0, top - MORE);
  const last = Math.min(amount, Math.floor(scroll.top / heights.row) + fitting + MORE);
  useLayoutEffect(() => {
    const list = box.current!;
    if (isWrapped) {
      heights.measure(drawn.current!, first);
      if (isLifted.current) scroll.top = Math.max(0, heights.after(scroll.top, -height / 3));
      isLifted.current = false;
      if (isMoved.current) scroll.top *= heights.settle();
      content.current = amount * heights.row;
      if (last === amount) {
        const end = Math.max(0, heights.after(content.current, -height));
        if (isAtEnd || scroll.top > end) scroll.top = end;
        content.current = end + height;
      }
    }
    space.current!.style.height = `${scroll.heightOf(content.current)}px`;
    if (isMoved.current) {
      list.scrollTop = scroll.place(height, content.current);
      if (isWrapped) scroll.placed(list.scrollTop);
    }
    isMoved.current = false;
    const above = isWrapped ? heights.below(scroll.top) : scroll.top - first * LINE;
    drawn.current!.style.translate = `0 ${scroll.offsetOf(above)}px`;
  });

  const step = (by: number) => {
    const from = chosen === null ? -1 : indexOf(chosen);
    const index = from === -1
      ? Math.ceil(scroll.top / heights.row)
      : Math.max(0, Math.min(amount - 1, from + by));
    choose(numberAt(index) ?? null);
    const [top, end] = edgesOf(index);
    if (top < 0) moveTo(index * heights.row);
    else if (end > height) moveTo(heights.after((index + 1) * heights.row, -height));
    else return;
    setAtEnd(index === amount - 1);
    setTop(scroll.top);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && chosen === null) step(0);
    else if (event.key === "Escape" && chosen !== null) choose(null);
    else if (event.key === "j" || event.key === "ArrowDown" && chosen !== null) step(1);
    else if (event.key === "k" || event.key === "ArrowUp" && chosen !== null) step(-1);
    else if (event.key === "Home") toEdge(0);
    else if (event.key === "End") toEdge(content.current);
    else return props.onKeyDown(event);
    event.preventDefault();
  };
  const toEdge = (top: number) => {
    moveTo(top);
    setAtEnd(top > 0);
    setTop(top);
  };
  const rows = [];
  for (let index = first; index < last; index++) {
    const line = lines.at(numberAt(index) ?? -1);
    if (line === null) continue;
    rows.push(
      <LineRow
        key={line.number}
        line={line}
        source={sources[line.source] ?? null}
        wanted={sought}
        isChosen={line.number === chosen}
        choose={choose}
      />,
    );
  }
  const unseen = lines.end - seen.current;
  return (
    <div class="log-frame">
      <div
        class={isWrapped ? "log is-wrapped" : "log"}
        role="log"
        aria-live="off"
        aria-label={words.log.label(shown(name))}
        tabIndex={0}
        ref={box}
        onScroll={onScroll}
        onScrollEnd={onScrollEnd}
        onKeyDown={onKeyDown}
      >
        {amount === 0 && <p class="quiet">{search === null ? words.log.empty : words.log.none}</p>}
        <div class="log-space" ref={space}>
          <div class="log-drawn" ref={drawn}>{rows}</div>
        </div>
      </div>
      {(!isAtEnd || isPaused && unseen > 0) && (
        <button
          type="button"
          class="button log-more"
          onClick={() => {
            goOn();
            toEdge(content.current);
          }}
        >
          {unseen > 0 ? words.log.follow(unseen) : words.log.toEnd}
        </button>
      )}
    </div>
  );
}
