/** A log on the screen: only the lines in view are drawn, and it stays at the end only while the reader is there. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Log, type LogLine } from "../../live/log.ts";
import { may } from "../../live/session.ts";
import { shown } from "../../parts/shown.ts";
import { Empty, Trouble } from "../../parts/states.tsx";
import { words } from "../../words/en.ts";

const LINE = 18;
const MORE = 20;
/** What one row draws at most. */
const MOST_CHARACTERS = 4_096;

export function LogView(
  { backend, id, name }: { readonly backend: string; readonly id: string; readonly name: string },
) {
  if (!may("containers:logs")) return <Empty title={words.log.noRight} />;
  return <Followed backend={backend} id={id} name={name} key={`${backend}/${id}`} />;
}

function Followed(
  { backend, id, name }: { readonly backend: string; readonly id: string; readonly name: string },
) {
  const log = useMemo(() => new Log(), []);
  const [search, setSearch] = useState("");
  useEffect(() => {
    const ending = new AbortController();
    void log.follow(backend, id, ending.signal);
    return () => ending.abort();
  }, []);
  const version = log.version.value;
  const found = useMemo(() => search === "" ? null : log.matches(search), [search, version]);
  const problem = log.problem.value;
  return (
    <div class="log-screen">
      <div class="log-bar">
        <input
          type="search"
          aria-label={words.log.search}
          placeholder={words.log.search}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <span class="quiet" role="status">
          {found === null ? words.log.lines(log.length) : words.log.matches(found.length)}
          {log.dropped > 0 && <>, {words.log.dropped(log.dropped)}</>} · {stateOf(log)}
        </span>
      </div>
      {problem !== null && <Trouble problem={problem} />}
      <Lines log={log} found={found} version={version} name={name} />
    </div>
  );
}

function stateOf({ state, reason }: Log): string {
  if (state.value !== "ended") return words.log[state.value];
  return words.log.ended[reason.value ?? ""] ?? "";
}

function Lines(
  { log, found, version, name }: {
    readonly log: Log;
    readonly found: readonly number[] | null;
    readonly version: number;
    readonly name: string;
  },
) {
  const box = useRef<HTMLDivElement>(null);
  const space = useRef<HTMLDivElement>(null);
  const drawn = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [isAtEnd, setAtEnd] = useState(true);
  /** How many lines there were, let go or not, when the reader left the end. */
  const seen = useRef(0);
  const before = useRef(log.dropped);
  const amount = found?.length ?? log.length;
  const total = log.length + log.dropped;
  if (isAtEnd) seen.current = total;

  const measure = () => {
    if (box.current === null) return; // scrolled, and left before the browser told of it
    const { scrollTop, clientHeight, scrollHeight } = box.current;
    setView({ top: scrollTop, height: clientHeight });
    setAtEnd(scrollTop + clientHeight >= scrollHeight - LINE);
  };
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(view.top / LINE) - MORE);
  const last = Math.min(amount, Math.ceil((view.top + view.height) / LINE) + MORE);
  useLayoutEffect(() => {
    const list = box.current!;
    space.current!.style.height = `${amount * LINE}px`;
    drawn.current!.style.translate = `0 ${first * LINE}px`;
    // Lines that were let go above the view must not move the ones in it.
    const gone = log.dropped - before.current;
    before.current = log.dropped;
    if (isAtEnd) list.scrollTop = list.scrollHeight;
    else if (gone > 0 && found === null) list.scrollTop -= gone * LINE;
  }, [version, amount, first, isAtEnd]);

  const lines = found === null
    ? log.slice(first, last)
    : found.slice(first, last).flatMap((index) => log.at(index) ?? []);
  const unseen = total - seen.current;
  return (
    <div class="log-frame">
      <div
        class="log"
        role="log"
        aria-live="off"
        aria-label={words.log.label(shown(name))}
        tabIndex={0}
        ref={box}
        onScroll={measure}
      >
        {amount === 0 && <p class="quiet">{words.log.empty}</p>}
        <div class="log-space" ref={space}>
          <div class="log-drawn" ref={drawn}>
            {lines.map((line) => <Row line={line} key={line.number} />)}
          </div>
        </div>
      </div>
      {!isAtEnd && (
        <button
          type="button"
          class="button log-more"
          onClick={() => box.current!.scrollTop = box.current!.scrollHeight}
        >
          {unseen > 0 ? words.log.follow(unseen) : words.log.toEnd}
        </button>
      )}
    </div>
  );
}

/** Escape sequences that colour text; colours are left out, so the text reads as it was meant. */
const ANSI = /\u001b\[[0-9;:]*[A-Za-z]/g;

function Row({ line: { time, kind, text } }: { readonly line: LogLine }) {
  if (kind === "gap") {
    return (
      <div class="log-line is-gap">{words.log.gap(clockOf(time), text === "" ? null : clockOf(text))}</div>
    );
  }
  const plain = text.replace(ANSI, "");
  return (
    <div class={`log-line is-${kind}`}>
      <time dateTime={time}>{clockOf(time)}</time>
      <span class="log-text">
        {shown(plain.slice(0, MOST_CHARACTERS))}
        {plain.length > MOST_CHARACTERS && <span class="quiet">{words.log.cut}</span>}
      </span>
    </div>
  );
}

/** `12:03:01.114`, by this machine's clock and zone. */
function clockOf(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime())
    ? time
    : `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}
