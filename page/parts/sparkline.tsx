/** One line of the last three minutes, as small as a word; what it says is said beside it. */
import { APART_MS, type Point } from "../live/series.ts";

const [WIDTH, HEIGHT] = [60, 16];
/** The time that one pixel stands for; it draws the largest value within. */
const STEP_MS = 3_000;

export function Sparkline(
  { points, valueOf, to, least }: {
    readonly points: readonly Point[];
    readonly valueOf: (point: Point) => number | null;
    readonly to: number;
    /** The smallest value that fills the height. */
    readonly least: number;
  },
) {
  const tops = new Map<number, number>();
  let most = least;
  for (const point of points) {
    const value = valueOf(point);
    const x = WIDTH - Math.floor((to - point.time) / STEP_MS);
    if (value === null || x < 0) continue;
    most = Math.max(most, value);
    tops.set(x, Math.max(tops.get(x) ?? 0, value));
  }
  let path = "";
  let before = -Infinity;
  for (const [x, value] of tops) {
    const y = Math.round((HEIGHT - 1.5 - value / most * (HEIGHT - 3)) * 10) / 10;
    const isJoined = (x - before) * STEP_MS <= APART_MS + STEP_MS;
    path += `${isJoined ? "L" : "M"}${x} ${y}${isJoined ? "" : "h0.1"}`;
    before = x;
  }
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}
