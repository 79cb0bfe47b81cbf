/** One line laid open: all of its text, JSON as a tree, and what can be done with it. */
import { useMemo, useState } from "preact/hooks";
import { containerHref } from "../container_href.ts";
import type { Line } from "../../live/lines.ts";
import { isoOf, type LinePlace, type LogFeed } from "../../live/log_feed.ts";
import { type Problem, problemOf } from "../../live/problem.ts";
import { withQuery } from "../../router.ts";
import { words } from "../../words/en_later.ts";
import { shown } from "../shown.ts";
import { Trouble } from "../states.tsx";
import { Tree } from "../tree.tsx";
import { piecesOf } from "./ansi.ts";

export function LineDetail(
  { line, feed, close, showAround }: {
    readonly line: Line;
    readonly feed: LogFeed;
    readonly close: () => void;
    /** Shows it among all lines, where only some are shown. */
    readonly showAround?: () => void;
  },
) {
  const { time, text } = line;
  const source = feed.sources[line.source] ?? null;
  const plain = useMemo(() => piecesOf(text).map((piece) => piece.text).join(""), [text]);
  const value = useMemo(() => objectIn(plain), [plain]);
  const href = source === null ? null : containerHref(source);
  return (
    <section class="log-detail" aria-label={words.log.line}>
      <header>
        <time dateTime={isoOf(time)}>{isoOf(time)}</time>
        {source !== null && href !== null && <a href={href}>{shown(source.name)}</a>}
        <span class="screen-end">
          {showAround && <button type="button" class="button" onClick={showAround}>{words.log.around}
          </button>}
          <LinkTo line={line} feed={feed} />
          {"clipboard" in navigator && (
            <button
              type="button"
              class="button"
              onClick={() => void navigator.clipboard.writeText(plain)}
            >
              {words.copy}
            </button>
          )}
          <button type="button" class="button" onClick={close}>{words.close}</button>
        </span>
      </header>
      {value === null
        ? <pre tabIndex={0} role="group" aria-label={words.log.line}>{shown(plain)}</pre>
        : <Tree value={value} label={words.log.line} isOpen />}
    </section>
  );
}

/** The link is made when it is asked for: only the engine's log knows the line's place. */
function LinkTo({ line, feed }: { readonly line: Line; readonly feed: LogFeed }) {
  const [state, setState] = useState<{ readonly href: string; readonly isCopied: boolean } | "lost" | null>(
    null,
  );
  const [problem, setProblem] = useState<Problem | null>(null);
  const make = async () => {
    let place: LinePlace | null;
    try {
      setProblem(null);
      place = await feed.placeOf(line, AbortSignal.timeout(WAIT_MS));
    } catch (error) {
      return setProblem(problemOf(error));
    }
    if (place === null) return setState("lost");
    const at = feed.sources.length === 0 ? place.cursor : `${place.source} ${place.cursor}`;
    const href = withQuery({ at, from: null, q: null, pattern: null, case: null, errors: null, among: null });
    const isCopied = await navigator.clipboard?.writeText(new URL(href, location.href).href)
      .then(() => true, () => false) ?? false;
    setState({ href, isCopied });
  };
  if (problem !== null) return <Trouble problem={problem} again={() => void make()} />;
  if (state === "lost") return <span class="quiet" role="status">{words.log.linkLost}</span>;
  if (state === null) {
    return <button type="button" class="button" onClick={() => void make()}>{words.log.linkTo}</button>;
  }
  return (
    <span role="status">
      <a href={state.href}>{words.log.link}</a> {state.isCopied && <span class="quiet">{words.copied}</span>}
    </span>
  );
}

const WAIT_MS = 20_000;

/** Returns the object that a program wrote as JSON, or null for anything else. */
function objectIn(text: string): object | null {
  if (!text.startsWith("{") && !text.startsWith("[")) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
