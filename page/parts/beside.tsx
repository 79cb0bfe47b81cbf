/** One unit: the author's own lines, and what runs beside the line that set it. */
import { useEffect, useRef } from "preact/hooks";
import { containerHref } from "./container_href.ts";
import type { UnitDetail } from "../../client/berth/workspaces.ts";
import { type Difference, readUnit, type Unit } from "../live/overview.ts";
import { useResource } from "../live/resource.ts";
import { SIGN_OF } from "../verdict.ts";
import { words } from "../words/en_later.ts";
import { Facing } from "./facing.tsx";
import { readable } from "./readable.ts";
import { Reading } from "./reading.tsx";
import { mountText } from "./stale_mount.tsx";
import { Place } from "./place.tsx";
import { Settle } from "./settle.tsx";
import { shown } from "./shown.ts";
import { Mark } from "./sign.tsx";

export function UnitBeside(
  { unit, revision, isAsked }: { readonly unit: Unit; readonly revision: string; readonly isAsked: boolean },
) {
  const read = useResource(
    `${unit.workspace} ${unit.name}`,
    (signal) => readUnit(unit.workspace, unit.name, signal),
    { live: false, revision },
  );
  const element = useRef<HTMLElement>(null);
  const written = read.value.value;
  useEffect(() => {
    if (isAsked && written !== undefined) element.current?.scrollIntoView({ block: "nearest" });
  }, [isAsked, written !== undefined]);
  return (
    <section class="beside" ref={element} aria-label={shown(unit.name)}>
      <header class="beside-head">
        <h2>{shown(unit.name)}</h2>
        <Mark verdict={unit.verdict} />
      </header>
      <Reading read={read} isPart>
        {(written) => (
          <>
            <Lines unit={unit} written={written} />
            <Settle unit={unit} done={read.reload} />
          </>
        )}
      </Reading>
    </section>
  );
}

interface Line {
  readonly number: number;
  readonly text: string;
  readonly differences: readonly Difference[];
}

/** The lines of the unit's own piece, each with the differences that it sets; and the differences set elsewhere. */
function linesOf(
  { yaml, source, name }: Pick<UnitDetail, "yaml" | "source" | "name">,
  differences: readonly Difference[],
): { readonly lines: readonly Line[]; readonly elsewhere: readonly Difference[] } {
  const texts = (yaml ?? "").replace(/\n$/, "").split("\n");
  // The piece may begin with comments; the place of the unit is that of its name.
  const own = name.slice(name.lastIndexOf(".") + 1);
  const at = texts.findIndex((text) => text.trim() !== "" && !text.trimStart().startsWith("#"));
  const first = source.range.start.line - Math.max(0, at);
  const isOwn = yaml !== null && (texts[at] ?? "").includes(own);
  const lines = isOwn
    ? texts.map((text, index) => ({
      number: first + index,
      text,
      differences: differences.filter(({ place }) =>
        place?.file === source.file && place.line === first + index
      ),
    }))
    : [];
  const shownOnes = new Set(lines.flatMap((line) => line.differences));
  return { lines, elsewhere: differences.filter((one) => !shownOnes.has(one)) };
}

function Lines({ unit, written }: { readonly unit: Unit; readonly written: UnitDetail }) {
  const { lines, elsewhere } = linesOf(written, unit.differences);
  const running = unit.containers[0];
  return (
    <>
      <div class="beside-sides">
        <p class="beside-side">
          <span class="facing-word">{words.unit.declared}</span> <code>{shown(written.source.file)}</code>
        </p>
        <p class="beside-side">
          <span class="facing-word">{words.unit.runs}</span> {running === undefined
            ? <span class="quiet">{words.unit.none}</span>
            : (
              <a href={containerHref(running)}>
                {shown(words.workspace.onEngine(running.name, running.backend))}
              </a>
            )}
          {unit.verdict === "unknown" && unit.notCompared !== null && (
            <span class="quiet">{shown(unit.notCompared)}</span>
          )}
          {running !== undefined && unit.verdict === "broken" && (
            <Mark verdict={SIGN_OF[running.condition]}>
              {words.state(running)}
            </Mark>
          )}
        </p>
      </div>
      <div class="lines">
        {lines.map(({ number, text, differences }) => (
          <div class={differences.length > 0 ? "line is-differing" : "line"} key={number}>
            <span class="line-number">{number}</span>
            <code class="line-text">{shown(text) || " "}</code>
            <span class="line-actual">
              {differences.map((one) => (
                <span key={`${one.field} ${one.container}`}>
                  <span class="facing-field">{shown(one.field)}</span>
                  {one.mount === undefined
                    ? (
                      <>
                        <span class="line-runs">{words.unit.runs}</span>{" "}
                        <code>{shown(readable(one.actual))}</code>
                      </>
                    )
                    : mountText(one.mount)}
                </span>
              ))}
            </span>
          </div>
        ))}
      </div>
      {elsewhere.map((one) => (
        <Facing key={`${one.field} ${one.container}`} {...one}>
          <Place
            place={one.place}
            workspace={unit.workspace}
            project={`${unit.name.split(".")[0]}@${unit.workspace}`}
          />
        </Facing>
      ))}
    </>
  );
}
