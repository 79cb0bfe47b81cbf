/** The lines of a log, of which only those in view are drawn. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Search } from "../../live/lines.ts";
import type { LogFeed } from "../../live/log_feed.ts";
import type { Wanted } from "../../live/wanted.ts";
import { words } from "../../words/en_later.ts";
import { shown } from "../shown.ts";
import { LineRow } from "./line_row.tsx";
import { Viewport } from "./viewport.ts";

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

export type LineListView = Pick<Viewport, "goTo" | "moved">;

export function LineList(props: LineListProps) {
  const { feed: { lines }, only: search, chosen, choose, view, isWrapped, isPaused } = props;
  const [, draw] = useState(0);
  const viewport = useMemo(() => new Viewport(() => draw((count) => count + 1)), []);
  view.current = viewport;
  const amount = useAmount(props);
  const numberAt = (index: number) => search === null ? lines.first + index : search.found[index];
  const indexOf = (number: number) => search === null ? number - lines.first : search.found.indexOf(number);
  const gone = search?.gone ?? lines.first;
  const range = viewport.take({ amount, search, gone, end: lines.end, indexOf, isWrapped, isPaused });
  const step = (by: number) => {
    const from = chosen === null ? -1 : indexOf(chosen);
    const index = from === -1 ? viewport.top : Math.max(0, Math.min(amount - 1, from + by));
    choose(numberAt(index) ?? null);
    viewport.show(index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && chosen === null) step(0);
    else if (event.key === "Escape" && chosen !== null) choose(null);
    else if (event.key === "j" || event.key === "ArrowDown" && chosen !== null) step(1);
    else if (event.key === "k" || event.key === "ArrowUp" && chosen !== null) step(-1);
    else if (event.key === "Home") viewport.toBegin();
    else if (event.key === "End") viewport.toEnd();
    else return props.onKeyDown(event);
    event.preventDefault();
  };
  return (
    <div class="log-frame">
      <Frame viewport={viewport} name={props.name} isWrapped={isWrapped} onKeyDown={onKeyDown}>
        {amount === 0 ? wordsOfNone(props.feed, search) : rowsOf(props, range, numberAt)}
      </Frame>
      <More viewport={viewport} isPaused={isPaused} goOn={props.goOn} />
    </div>
  );
}

/** Says why no line is shown; nothing where the log cannot be read, which is told above it. */
function wordsOfNone({ problem }: LogFeed, search: Search | null): string {
  if (search !== null) return words.log.none;
  return problem.value === null ? words.log.empty : "";
}

/** Counts the lines to show: while the log is paused, those that had come in before. */
function useAmount({ feed: { lines }, only: search, isPaused }: LineListProps): number {
  const shownTo = useRef(0);
  if (!isPaused) shownTo.current = lines.end;
  if (search === null) return Math.max(0, shownTo.current - lines.first);
  const later = isPaused ? search.found.findIndex((one) => one >= shownTo.current) : -1;
  return later === -1 ? search.found.length : later;
}

function rowsOf(
  { feed: { lines, sources }, wanted, chosen, choose }: LineListProps,
  { first, last }: { readonly first: number; readonly last: number },
  numberAt: (index: number) => number | undefined,
) {
  const rows = [];
  for (let index = first; index < last; index++) {
    const line = lines.at(numberAt(index) ?? -1);
    if (line === null) continue;
    rows.push(
      <LineRow
        key={line.number}
        line={line}
        source={sources[line.source] ?? null}
        wanted={wanted}
        isChosen={line.number === chosen}
        choose={choose}
      />,
    );
  }
  return rows;
}

interface FrameProps {
  readonly viewport: Viewport;
  readonly name: string;
  readonly isWrapped: boolean;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** A text where there are no rows. */
  readonly children: ComponentChildren;
}

/** The element that is scrolled, as high as if all lines were drawn in it. */
function Frame({ viewport, name, isWrapped, onKeyDown, children }: FrameProps) {
  const box = useRef<HTMLDivElement>(null);
  const space = useRef<HTMLDivElement>(null);
  const drawn = useRef<HTMLDivElement>(null);
  useEffect(() => viewport.watch(box.current!), []);
  useLayoutEffect(() => viewport.place({ box: box.current!, space: space.current!, drawn: drawn.current! }));
  return (
    <div
      class={isWrapped ? "log is-wrapped" : "log"}
      role="log"
      aria-live="off"
      aria-label={words.log.label(shown(name))}
      tabIndex={0}
      ref={box}
      onScroll={() => {
        if (box.current !== null) viewport.scrolled(box.current); // scrolled, and left before the browser told of it
      }}
      onScrollEnd={() => viewport.rested()}
      onKeyDown={onKeyDown}
    >
      {typeof children === "string" && <p class="quiet">{children}</p>}
      <div class="log-space" ref={space}>
        <div class="log-drawn" ref={drawn}>{typeof children !== "string" && children}</div>
      </div>
    </div>
  );
}

interface MoreProps {
  readonly viewport: Viewport;
  readonly isPaused: boolean;
  readonly goOn: () => void;
}

/** The way to the end, where the reader is elsewhere. */
function More({ viewport, isPaused, goOn }: MoreProps) {
  const { unseen } = viewport;
  if (viewport.isAtEnd && (!isPaused || unseen === 0)) return null;
  return (
    <button
      type="button"
      class="button log-more"
      onClick={() => {
        goOn();
        viewport.toEnd();
      }}
    >
      {unseen > 0 ? words.log.follow(unseen) : words.log.toEnd}
    </button>
  );
}
