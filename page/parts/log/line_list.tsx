/** The lines of a log: only those in view are drawn, and the view stays at the end only while the reader is there. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Moved, Search } from "../../live/lines.ts";
import type { LogFeed } from "../../live/log_feed.ts";
import type { Wanted } from "../../live/wanted.ts";
import { words } from "../../words/en.ts";
import { shown } from "../shown.ts";
import { LineRow } from "./line_row.tsx";
import { Scroll } from "./scroll.ts";

const LINE = 18;
const MORE = 20;

export interface LineListProps {
  readonly feed: LogFeed;
  /** Shows only what it found. */
  readonly only: Search | null;
  /** What is marked in each line. */
  readonly wanted: Wanted | null;
  /** Another one whenever there is something else to draw: the lines themselves are not compared. */
  readonly version: string;
  readonly name: string;
  readonly chosen: number | null;
  readonly choose: (number: number | null) => void;
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
  const box = useRef<HTMLDivElement>(null);
  const space = useRef<HTMLDivElement>(null);
  const drawn = useRef<HTMLDivElement>(null);
  const scroll = useMemo(() => new Scroll(), [search]);
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
  /** Whether the element has to be scrolled to where the reader is; never while it is being scrolled. */
  const isMoved = useRef(true);

  const amount = search?.found.length ?? lines.length;
  const content = amount * LINE;
  if (isAtEnd) seen.current = lines.end;

  const numberAt = (index: number) => search === null ? lines.first + index : search.found[index];
  const indexOf = (number: number) => search === null ? number - lines.first : search.found.indexOf(number);

  const onScroll = () => {
    const { current } = box;
    if (current === null) return; // scrolled, and left before the browser told of it
    scroll.moved(current.scrollTop, current.clientHeight, content);
    setTop(scroll.top);
    setAtEnd(scroll.top + current.clientHeight >= content - LINE);
  };
  const onScrollEnd = () => {
    if (scroll.heightOf(content) === content) return;
    isMoved.current = true;
    draw((count) => count + 1);
  };
  useEffect(() => {
    const observer = new ResizeObserver(() => setHeight(box.current?.clientHeight ?? 600));
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
      const top = before.current + Math.floor(scroll.top / LINE);
      anchor.current = [numberOf(top), scroll.top % LINE];
    },
  };

  // Lines that were let go above the view must not move the ones in it.
  const moveTo = (top: number) => {
    scroll.top = top;
    isMoved.current = true;
  };
  if (anchor.current !== null) {
    const [number, above] = anchor.current;
    moveTo(indexOf(number) * LINE + above);
    anchor.current = null;
    before.current = gone;
  }
  if (before.current !== gone) {
    moveTo(scroll.top - (gone - before.current) * LINE);
    before.current = gone;
  }
  if (isAtEnd) moveTo(content - height);
  if (wanted.current !== null) {
    const index = indexOf(wanted.current);
    if (index >= 0 && (index * LINE < scroll.top || (index + 1) * LINE > scroll.top + height)) {
      moveTo(index * LINE - height / 2);
    }
    if (index >= 0) wanted.current = null;
  }
  const first = Math.max(0, Math.floor(scroll.top / LINE) - MORE);
  const last = Math.min(amount, Math.ceil((scroll.top + height) / LINE) + MORE);
  useLayoutEffect(() => {
    const list = box.current!;
    space.current!.style.height = `${scroll.heightOf(content)}px`;
    if (isMoved.current) list.scrollTop = scroll.place(height, content);
    isMoved.current = false;
    drawn.current!.style.translate = `0 ${scroll.offsetOf(first * LINE)}px`;
  });

  const step = (by: number) => {
    const from = chosen === null ? -1 : indexOf(chosen);
    const index = from === -1 ? Math.ceil(scroll.top / LINE) : Math.max(0, Math.min(amount - 1, from + by));
    choose(numberAt(index) ?? null);
    if (index * LINE < scroll.top) moveTo(index * LINE);
    else if ((index + 1) * LINE > scroll.top + height) moveTo((index + 1) * LINE - height);
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
    else if (event.key === "End") toEdge(content);
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
        class="log"
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
      {!isAtEnd && (
        <button type="button" class="button log-more" onClick={() => toEdge(content)}>
          {unseen > 0 ? words.log.follow(unseen) : words.log.toEnd}
        </button>
      )}
    </div>
  );
}
