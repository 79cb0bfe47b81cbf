/** One line over the last minutes: its title, its last value, the unit and the times at its axes, and the value under the pointer. */
import { useState } from "preact/hooks";
import { words } from "../words/en_later.ts";
import { niceAbove } from "./nice_above.ts";
import { timeTicks } from "./time_ticks.ts";

export interface ChartPoint {
  readonly time: number;
  /** Null where there is none: the line has a gap. */
  readonly value: number | null;
}

const [WIDTH, HEIGHT] = [600, 120];

export function Chart(
  { title, points, from, to, apartMs, say, limit = null }: {
    readonly title: string;
    readonly points: readonly ChartPoint[];
    readonly from: number;
    readonly to: number;
    /** Points further apart are not joined. */
    readonly apartMs: number;
    readonly say: (value: number) => string;
    /** Told beside the last value. */
    readonly limit?: number | null;
  },
) {
  const [at, setAt] = useState<number | null>(null);
  const known = points.filter(({ value }) => value !== null);
  const most = niceAbove(Math.max(0, ...known.map(({ value }) => value!)));
  const x = (time: number) => Math.round((time - from) / (to - from) * WIDTH * 10) / 10;
  const y = (value: number) => Math.round((HEIGHT - value / most * (HEIGHT - 4) - 1) * 10) / 10;
  let path = "";
  let before: ChartPoint | null = null;
  for (const point of points) {
    if (point.value === null) {
      before = null;
      continue;
    }
    const isJoined = before !== null && point.time - before.time <= apartMs;
    path += `${isJoined ? "L" : "M"}${x(point.time)} ${y(point.value)}`;
    if (!isJoined) path += "h0.1";
    before = point;
  }
  const pointed = at === null ? null : known[Math.min(at, known.length - 1)] ?? null;
  const last = known.at(-1) ?? null;
  const told = pointed ?? last;
  const ticks = timeTicks(from, to);
  const pointAt = (event: PointerEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const time = from + (event.clientX - box.left) / box.width * (to - from);
    let nearest = 0;
    known.forEach((point, index) => {
      if (Math.abs(point.time - time) < Math.abs(known[nearest]!.time - time)) nearest = index;
    });
    setAt(known.length === 0 ? null : nearest);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const from = at ?? known.length - 1;
    if (event.key === "ArrowLeft") setAt(Math.max(0, from - 1));
    else if (event.key === "ArrowRight") setAt(Math.min(known.length - 1, from + 1));
    else if (event.key === "Escape") setAt(null);
    else return;
    event.preventDefault();
  };
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        <strong>{told === null ? words.measures.none : say(told.value!)}</strong>
        <span class="quiet">
          {pointed !== null ? words.time(pointed.time) : limit !== null ? words.measures.of(say(limit)) : ""}
        </span>
      </figcaption>
      <div class="chart-box">
        <span class="chart-most quiet" aria-hidden="true">{say(most)}</span>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={words.measures.chart(
            title,
            told === null ? words.measures.none : say(told.value!),
            say(Math.max(0, ...known.map(({ value }) => value!))),
          )}
          tabIndex={0}
          onPointerMove={pointAt}
          onPointerLeave={() => setAt(null)}
          onKeyDown={onKeyDown}
          onBlur={() => setAt(null)}
        >
          <path
            class="chart-ticks"
            d={ticks.map((time) => `M${x(time)} 0V${HEIGHT}`).join("")}
            vector-effect="non-scaling-stroke"
          />
          <path class="chart-line" d={path} vector-effect="non-scaling-stroke" />
          {pointed !== null && (
            <path
              class="chart-pointed"
              d={`M${x(pointed.time)} 0V${HEIGHT}`}
              vector-effect="non-scaling-stroke"
            />
          )}
        </svg>
      </div>
      <Times from={from} to={to} ticks={ticks} />
    </figure>
  );
}

/** The distance from the middle within which the times at both ends leave room for others. */
const ROOM = 0.25;

/** The first and the last time, and those between. A screen reader is told the span of all charts at once. */
function Times(
  { from, to, ticks }: { readonly from: number; readonly to: number; readonly ticks: readonly number[] },
) {
  const placed = ticks.map((time) => ({ time, at: (time - from) / (to - from) }));
  return (
    <svg class="chart-times" aria-hidden="true">
      <text y="12">{words.time(from)}</text>
      {placed.filter(({ at }) => Math.abs(at - 0.5) <= ROOM).map(({ time, at }) => (
        <text key={time} x={`${at * 100}%`} y="12" text-anchor="middle">{words.minute(time)}</text>
      ))}
      <text x="100%" y="12" text-anchor="end">{words.time(to)}</text>
    </svg>
  );
}
