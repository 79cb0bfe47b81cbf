/** The last seven days as one strip per project: each day with its worst state. */
import type { Incident } from "../../../client/berth/incidents.ts";
import { now } from "../../parts/ago.tsx";
import { shown } from "../../parts/shown.ts";
import { VERDICTS } from "../../verdict.ts";
import { words } from "../../words/en_later.ts";
import { placeOf, signOf } from "./subject.tsx";

const TEXT = words.incidents;
const DAYS = 7;
/** Strips that are shown at most: those with an open incident come first. */
const MOST = 50;

interface Day {
  readonly begin: number;
  readonly end: number;
}

/** The beginnings of the last seven days by the browser's clock, the oldest first. */
function daysUntil(time: number): Day[] {
  const day = new Date(time);
  return Array.from({ length: DAYS }, (_, at) => {
    const of = (more: number) =>
      new Date(day.getFullYear(), day.getMonth(), day.getDate() - (DAYS - 1) + at + more).getTime();
    return { begin: of(0), end: of(1) };
  });
}

function worstIn({ begin, end }: Day, incidents: readonly Incident[]): Incident | null {
  const within = incidents.filter(({ since, closedAt }) =>
    Date.parse(since) < end && (closedAt === null || Date.parse(closedAt) >= begin)
  );
  const rank = (one: Incident) => VERDICTS.indexOf(signOf(one));
  return within.toSorted((one, other) => rank(one) - rank(other))[0] ?? null;
}

export function Week({ of }: { readonly of: readonly Incident[] }) {
  const days = daysUntil(Math.floor(now.value / 60_000) * 60_000);
  const places = [...Map.groupBy(of.filter(({ subject }) => subject !== "berth"), placeOf)];
  const isOpen = ([, own]: (typeof places)[number]) => own.some(({ closedAt }) => closedAt === null);
  const rows = places.toSorted((one, other) =>
    Number(isOpen(other)) - Number(isOpen(one)) || (one[0] < other[0] ? -1 : 1)
  ).slice(0, MOST);
  return (
    <section aria-labelledby="week">
      <div class="section-head">
        <h2 id="week">{TEXT.week}</h2>
      </div>
      <ul class="week">
        {rows.map(([place, own]) => (
          <li key={place}>
            <span class="week-name">{shown(place)}</span>
            <ol class="week-days" aria-label={shown(TEXT.weekOf(place))}>
              {days.map((day) => <DayOf key={day.begin} day={day} worst={worstIn(day, own)} />)}
            </ol>
          </li>
        ))}
      </ul>
    </section>
  );
}

function DayOf({ day, worst }: { readonly day: Day; readonly worst: Incident | null }) {
  const word = `${words.day(day.begin)}: ${worst === null ? TEXT.well : TEXT.kinds[worst.kind]}`;
  return (
    <li class={worst === null ? "is-well" : `is-${signOf(worst)}`} title={word}>
      <span class="unseen">{word}</span>
    </li>
  );
}
