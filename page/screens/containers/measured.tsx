/** The CPU and memory of one container of the list: as lines over the last minutes, and as they are now. */
import { useEffect } from "preact/hooks";
import { measureRow, measuresOf } from "../../live/measured_rows.ts";
import type { Point } from "../../live/series.ts";
import { now } from "../../parts/ago.tsx";
import { Sparkline } from "../../parts/sparkline.tsx";
import { words } from "../../words/en_later.ts";

/** The smallest value that fills the height of a line. */
const LEAST_PERCENT = 5;

/** Of the container that the API calls so, `<engine>/<id>`. */
export function Measured({ container }: { readonly container: string }) {
  useEffect(() => measureRow(container), [container]);
  const series = measuresOf(container);
  const latest = series?.latest ?? null;
  if (series === null || latest === null) return null;
  const to = Math.max(latest.time, now.peek());
  const line = (name: "cpu" | "memory", least: number) => (
    <Sparkline
      points={series.points}
      valueOf={(point: Point) => point[name]}
      to={to}
      least={least}
    />
  );
  return (
    <>
      {line("cpu", LEAST_PERCENT)}
      <span>{latest.cpu === null ? "" : words.measures.percent(latest.cpu)}</span>
      {line("memory", 1)}
      <span>{words.bytes(latest.memory ?? 0)}</span>
    </>
  );
}
