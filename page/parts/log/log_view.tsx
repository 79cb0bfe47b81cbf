/** A log on the screen: searched, saved, read backwards, and with the line that one has chosen laid open below it. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Search } from "../../live/lines.ts";
import type { LogFeed } from "../../live/log_feed.ts";
import { type Asked, Wanted } from "../../live/wanted.ts";
import { words } from "../../words/en_later.ts";
import { areLettersOn } from "../keys.ts";
import { Sign } from "../sign.tsx";
import { Trouble } from "../states.tsx";
import { ask, askedNow, isAmongOthers, isWrapped } from "./asked.ts";
import { LineDetail } from "./line_detail.tsx";
import { LineList, type LineListView } from "./line_list.tsx";
import { save, textOf } from "./save.ts";
import { Matches, SearchField, Toggle } from "./search_bar.tsx";

/** The milliseconds that a search may take of one frame. */
const SEARCH_MS = 6;

export interface LogViewProps {
  readonly feed: LogFeed;
  readonly name: string;
  /** Further controls of the view. */
  readonly children?: ComponentChildren;
}

/** Follows the log while it is shown; another feed wants another key. */
export function LogView({ feed, name, children }: LogViewProps) {
  const [chosen, setChosen] = useState<number | null>(null);
  const [isPaused, setPaused] = useState(false);
  const list = useRef<LineListView | null>(null);
  const signal = useFollowed(feed);
  const version = feed.version.value;
  const asked = askedNow();
  const key = JSON.stringify(asked);
  const wanted = useMemo(() => asked.text === "" && !asked.onlyErrors ? null : new Wanted(asked), [key]);
  const search = useSearch(feed, wanted, version);
  const only = isAmongOthers() ? null : search;
  const readEarlier = async () => {
    const moved = await feed.readEarlier(signal);
    if (moved === null || signal.aborted) return;
    search?.lookBefore(moved);
    list.current?.moved(moved);
    setChosen((line) => line === null ? null : moved.numberOf(line));
  };
  useEffect(() => {
    const target = feed.takeTarget();
    if (target === null) return;
    setChosen(target);
    list.current?.goTo(target);
    void readEarlier();
  }, [version]);
  const step = (by: 1 | -1) => {
    const number = besideOf(search?.found ?? [], chosen, by);
    if (number === undefined) return;
    setChosen(number);
    list.current?.goTo(number);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !areLettersOn.value) return;
    if (event.key === "o") void readEarlier();
    else if (event.key === "w") ask({ wrap: !isWrapped() });
    else if (event.key === "p") setPaused(!isPaused);
    else if (search !== null && event.key.toLowerCase() === "n") step(event.key === "n" ? 1 : -1);
    else return;
    event.preventDefault();
  };
  const { lines } = feed;
  const problem = feed.problem.value;
  const line = chosen === null ? null : lines.at(chosen);
  return (
    <div class="log-screen">
      <Bar {...{ feed, name, asked, wanted, step, isPaused, setPaused }}>{children}</Bar>
      {problem !== null && <Trouble problem={problem} />}
      <LineList
        feed={feed}
        only={only}
        wanted={wanted}
        version={`${version} ${search?.found.length} ${search?.gone}`}
        name={name}
        chosen={chosen}
        choose={setChosen}
        isWrapped={isWrapped()}
        isPaused={isPaused}
        goOn={() => setPaused(false)}
        view={list}
        onKeyDown={onKeyDown}
      />
      {line !== null && (
        <LineDetail
          key={line.number}
          line={line}
          feed={feed}
          close={() => setChosen(null)}
          {...(only === null ? {} : {
            showAround: () => {
              ask({ among: true });
              list.current?.goTo(line.number);
            },
          })}
        />
      )}
      <Foot {...{ feed, search, chosen, step, isPaused }} read={readEarlier} />
    </div>
  );
}

/** Follows the log as long as it is shown. Returns the signal of its end. */
function useFollowed(feed: LogFeed): AbortSignal {
  const ending = useMemo(() => new AbortController(), [feed]);
  useEffect(() => {
    void feed.follow(ending.signal);
    return () => ending.abort();
  }, [feed]);
  return ending.signal;
}

/** Returns what was found next in a direction, and goes around at the end. */
function besideOf(found: readonly number[], from: number | null, by: 1 | -1): number | undefined {
  return by === 1
    ? found.find((one) => from === null || one > from) ?? found[0]
    : found.findLast((one) => from === null || one < from) ?? found.at(-1);
}

interface BarProps {
  readonly feed: LogFeed;
  readonly name: string;
  readonly asked: Asked;
  readonly wanted: Wanted | null;
  readonly step: (by: 1 | -1) => void;
  readonly isPaused: boolean;
  readonly setPaused: (isPaused: boolean) => void;
  readonly children?: ComponentChildren;
}

/** Everything that can be asked of the log. */
function Bar({ feed, name, asked, wanted, step, isPaused, setPaused, children }: BarProps) {
  return (
    <div class="log-bar">
      <SearchField asked={asked} wanted={wanted} step={step} />
      <Toggle name="wrap" isOn={isWrapped()}>{words.log.wrap}</Toggle>
      <button type="button" class="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
        <Sign verdict="paused" /> {words.log.pause}
      </button>
      {children}
      <button
        type="button"
        class="button"
        disabled={feed.lines.length === 0}
        onClick={() => save(textOf(feed), `${name}.log`)}
      >
        {words.log.save}
      </button>
    </div>
  );
}

interface FootProps {
  readonly feed: LogFeed;
  readonly search: Search | null;
  readonly chosen: number | null;
  readonly step: (by: 1 | -1) => void;
  readonly isPaused: boolean;
  readonly read: () => Promise<void>;
}

/** How much there is, since when, and the way to more. */
function Foot({ feed, search, chosen, step, isPaused, read }: FootProps) {
  const { lines } = feed;
  return (
    <footer class="log-foot quiet">
      <span role="status">
        {isPaused && `${words.log.paused} · `}
        {stateOf(feed)} · {words.log.lines(lines.length, lines.bytes.text)}
        {lines.length > 0 && words.log.since(lines.at(lines.first)?.time ?? NaN)}
        {lines.gone > 0 && <>, {words.log.dropped(lines.gone)}</>}
      </span>
      <Earlier feed={feed} read={read} />
      {search !== null && <Matches search={search} chosen={chosen} step={step} />}
    </footer>
  );
}

function Earlier({ feed, read }: { readonly feed: LogFeed; readonly read: () => Promise<void> }) {
  const state = feed.lines.gone > 0 ? "full" : feed.earlier.value;
  if (state === "full" || state === "none" || state === "many") {
    return <span>{words.log.noEarlier[state]}</span>;
  }
  return (
    <button type="button" class="button" disabled={state === "reading"} onClick={() => void read()}>
      {state === "reading" ? words.loading : words.log.earlier}
    </button>
  );
}

function stateOf({ state, reason, problem }: LogFeed): string {
  if (state.value === "waiting" && problem.value !== null) return words.log.refused;
  if (state.value !== "ended") return words.log[state.value];
  return words.log.ended[reason.value ?? ""] ?? words.log.over;
}

/** Looks on, a little in each frame, until it has seen all; null where nothing is wanted. */
function useSearch(feed: LogFeed, wanted: Wanted | null, version: number): Search | null {
  const search = useMemo(() => wanted === null ? null : new Search(feed.lines, wanted), [feed, wanted]);
  const [, setSeen] = useState(0);
  useEffect(() => {
    if (search === null) return;
    let frame = 0;
    const look = () => {
      const isMore = search.step(SEARCH_MS);
      setSeen((seen) => seen + 1);
      if (isMore) frame = requestAnimationFrame(look);
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, [search, version]);
  return search;
}
