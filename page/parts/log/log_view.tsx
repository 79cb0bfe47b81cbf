/** A log on the screen: searched, saved, and with the line that one has chosen laid open below it. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Search } from "../../live/lines.ts";
import type { LogFeed } from "../../live/log_feed.ts";
import { words } from "../../words/en.ts";
import { Trouble } from "../states.tsx";
import { LineDetail } from "./line_detail.tsx";
import { LineList } from "./line_list.tsx";
import { save, textOf } from "./save.ts";

/** How long a search may take of one frame. */
const SEARCH_MS = 6;

export interface LogViewProps {
  readonly feed: LogFeed;
  readonly name: string;
  /** What else can be chosen of it. */
  readonly children?: ComponentChildren;
}

/** Follows the log while it is shown; another feed wants another key. */
export function LogView({ feed, name, children }: LogViewProps) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<number | null>(null);
  const goTo = useRef<((number: number) => void) | null>(null);
  useEffect(() => {
    const ending = new AbortController();
    void feed.follow(ending.signal);
    return () => ending.abort();
  }, [feed]);
  const version = feed.version.value;
  const search = useSearch(feed, text, version);
  const { lines } = feed;
  const problem = feed.problem.value;
  const line = chosen === null ? null : lines.at(chosen);
  return (
    <div class="log-screen">
      <div class="log-bar">
        <input
          type="search"
          aria-label={words.log.search}
          placeholder={words.log.search}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {children}
        <span class="quiet" role="status">
          {search === null
            ? words.log.lines(lines.length, lines.bytes.text)
            : words.log.matches(search.found.length)}
          {lines.first > 0 && <>, {words.log.dropped(lines.first)}</>} · {stateOf(feed)}
        </span>
        <button
          type="button"
          class="button"
          disabled={lines.length === 0}
          onClick={() => save(textOf(feed), `${name}.log`)}
        >
          {words.log.save}
        </button>
      </div>
      {problem !== null && <Trouble problem={problem} />}
      <LineList
        feed={feed}
        search={search}
        marked={text.toLowerCase()}
        version={`${version} ${search?.found.length} ${search?.gone}`}
        name={name}
        chosen={chosen}
        choose={setChosen}
        goTo={goTo}
      />
      {line !== null && (
        <LineDetail
          line={line}
          source={feed.sources[line.source] ?? null}
          close={() => setChosen(null)}
          {...(text === "" ? {} : {
            showAround: () => {
              setText("");
              goTo.current?.(line.number);
            },
          })}
        />
      )}
    </div>
  );
}

function stateOf({ state, reason }: LogFeed): string {
  if (state.value !== "ended") return words.log[state.value];
  return words.log.ended[reason.value ?? ""] ?? words.log.over;
}

/** Looks on, a little in each frame, until it has seen all; null without a text. */
function useSearch(feed: LogFeed, text: string, version: number): Search | null {
  const search = useMemo(() => text === "" ? null : new Search(feed.lines, text), [feed, text]);
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
