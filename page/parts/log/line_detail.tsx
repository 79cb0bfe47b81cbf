/** One line laid open: all of its text, JSON as a tree, and what can be done with it. */
import { useMemo } from "preact/hooks";
import type { Line } from "../../live/lines.ts";
import type { Source } from "../../live/log_feed.ts";
import { withQuery } from "../../router.ts";
import { words } from "../../words/en.ts";
import { shown } from "../shown.ts";
import { Tree } from "../tree.tsx";
import { piecesOf } from "./ansi.ts";
import { isoOf } from "./line_row.tsx";

export function LineDetail(
  { line: { time, text }, source, close, showAround }: {
    readonly line: Line;
    readonly source: Source | null;
    readonly close: () => void;
    /** Shows it among all lines, where only some are shown. */
    readonly showAround?: () => void;
  },
) {
  const plain = useMemo(() => piecesOf(text).map((piece) => piece.text).join(""), [text]);
  const value = useMemo(() => objectIn(plain), [plain]);
  const href = source === null
    ? null
    : `/c/${encodeURIComponent(source.backend)}/${encodeURIComponent(source.name)}`;
  return (
    <section class="log-detail" aria-label={words.log.line}>
      <header>
        <time dateTime={isoOf(time)}>{isoOf(time)}</time>
        {source !== null && href !== null && <a href={href}>{shown(source.name)}</a>}
        <span class="screen-end">
          {showAround && <button type="button" class="button" onClick={showAround}>{words.log.around}
          </button>}
          {!Number.isNaN(time) && (
            <a
              class="button"
              href={href === null ? withQuery({ from: isoOf(time) }) : `${href}?from=${isoOf(time)}`}
            >
              {words.log.linkTo}
            </a>
          )}
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

/** What a program wrote as JSON; null for anything else. */
function objectIn(text: string): object | null {
  if (!text.startsWith("{") && !text.startsWith("[")) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
