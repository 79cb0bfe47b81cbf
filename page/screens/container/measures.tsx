/** The measurements of a container over the last ten minutes. */
import { useEffect, useMemo } from "preact/hooks";
import type { ContainerDetail } from "../../../client/berth/containers.ts";
import { Measuring } from "../../live/measures.ts";
import { APART_MS, type Measure, MEASURES, SPAN_MS } from "../../live/series.ts";
import { now } from "../../parts/ago.tsx";
import { Chart } from "../../parts/chart.tsx";
import { Empty, Loading, Trouble } from "../../parts/states.tsx";
import { words } from "../../words/en_later.ts";

export function Measures({ container }: { readonly container: ContainerDetail }) {
  const key = `${container.backend}/${container.id}`;
  const measuring = useMemo(() => new Measuring([key], true), [key]);
  useEffect(() => () => measuring.end(), [measuring]);
  void measuring.version.value; // drawn again with every message
  const points = measuring.series.get(key)?.points ?? [];
  const problem = measuring.problem.value;
  if (points.length === 0) {
    if (problem !== null) return <Trouble problem={problem} />;
    return container.state === "running" || container.state === "paused"
      ? <Loading />
      : <Empty title={words.measures.notRunning} />;
  }
  const latest = points.at(-1)!;
  // By the service's clock: this machine's may be another.
  const to = Math.max(latest.time, now.value);
  return (
    <>
      {problem !== null && <Trouble problem={problem} since={latest.time} />}
      <p class="hint">{words.measures.span}</p>
      <div class="charts">
        {MEASURES.map((measure) => (
          <Chart
            key={measure}
            title={words.measures.title[measure]}
            points={points.map((point) => ({ time: point.time, value: point[measure] }))}
            from={to - SPAN_MS}
            to={to}
            apartMs={APART_MS}
            say={sayOf(measure)}
            limit={measure === "memory" && latest.limit > 0 ? latest.limit : null}
          />
        ))}
      </div>
    </>
  );
}

function sayOf(measure: Measure): (value: number) => string {
  if (measure === "cpu") return words.measures.percent;
  return measure === "memory" ? words.bytes : (value) => words.measures.perSecond(words.bytes(value));
}
