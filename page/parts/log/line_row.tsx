/** One line of a log, as high as every other: when, whose, and the beginning of its text. */
import type { ComponentChild } from "preact";
import type { Line } from "../../live/lines.ts";
import { type Gap, isoOf, type Source } from "../../live/log_feed.ts";
import type { Wanted } from "../../live/wanted.ts";
import { words } from "../../words/en_later.ts";
import { shown } from "../shown.ts";
import { piecesOf } from "./ansi.ts";

/** The most characters that one row draws; the whole line is shown when it is chosen. */
const MOST_CHARACTERS = 4_096;
/** So many sources can be told apart by colour, too. */
const COLOURS = 6;

export function LineRow(
  { line, source, wanted, isChosen, choose }: {
    readonly line: Line;
    readonly source: Source | null;
    readonly wanted: Wanted | null;
    readonly isChosen: boolean;
    readonly choose: (number: number) => void;
  },
) {
  const { number, time, kind, text } = line;
  if (kind === "gap") return <div class="log-line is-gap">{gapOf(text, source)}</div>;
  return (
    <div
      class={`log-line is-${kind}${isChosen ? " is-chosen" : ""}`}
      {...(isChosen ? { "aria-current": "true" as const } : {})}
      onClick={() => {
        if (getSelection()?.isCollapsed !== false) choose(number); // else text is being marked
      }}
    >
      <time dateTime={isoOf(time)}>{clockOf(time)}</time>
      {source !== null && <span class={`log-source is-${line.source % COLOURS}`}>{shown(source.name)}</span>}
      <span class="log-text">
        {piecesOf(text.slice(0, MOST_CHARACTERS)).map((piece, index) => (
          piece.classes === ""
            ? markedIn(piece.text, wanted)
            : <span class={piece.classes} key={index}>{markedIn(piece.text, wanted)}</span>
        ))}
        {text.length > MOST_CHARACTERS && <span class="quiet">{words.log.cut(text.length)}</span>}
      </span>
    </div>
  );
}

function gapOf(text: string, source: Source | null): string {
  const { after, before } = JSON.parse(text) as Gap;
  const clock = (time: string) => clockOf(Date.parse(time));
  return words.log.gap(
    source === null ? null : shown(source.name),
    clock(after),
    before === null ? null : clock(before),
  );
}

function markedIn(text: string, wanted: Wanted | null): ComponentChild {
  const spans = wanted?.spansIn(text) ?? [];
  if (spans.length === 0) return shown(text);
  const parts: ComponentChild[] = [];
  let at = 0;
  for (const [start, end] of spans) {
    parts.push(shown(text.slice(at, start)), <mark>{shown(text.slice(start, end))}</mark>);
    at = end;
  }
  parts.push(shown(text.slice(at)));
  return parts;
}

/** `12:03:01.114`, by this machine's clock and zone. */
export function clockOf(time: number): string {
  if (Number.isNaN(time)) return "";
  const date = new Date(time);
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}
