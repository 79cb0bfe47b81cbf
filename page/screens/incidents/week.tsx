/** The last seven days as one strip per unit or other subject: each day with its worst state. */
import type { Incident } from "../../../client/berth/incidents.ts";
import { now } from "../../parts/ago.tsx";
import { shown } from "../../parts/shown.ts";
import { VERDICTS } from "../../verdict.ts";
import { words } from "../../words/en_later.ts";
import { isFirstWatch, isGap, nameOf, signOf, subjectOf } from "./subject.tsx";

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

/** Says where the history has gaps: what is not recorded is not fine. */
export function Gaps({ of }: { readonly of: readonly Incident[] }) {
  return of.filter(isGap).map(({ id, since, closedAt }) => {
    const from = words.moment(Date.parse(since));
    return (
      <p key={id} class="hint" role="note">
        {closedAt === null ? TEXT.gapNow(from) : TEXT.gap(from, words.moment(Date.parse(closedAt)))}
      </p>
    );
  });
}

interface WeekOptions {
  readonly of: readonly Incident[];
  /** The time before which incidents are left out; null while all are there. */
  readonly completeFrom: string | null;
}

export function Week({ of, completeFrom }: WeekOptions) {
  const gaps = of.filter(isGap);
  const watchedFrom = Math.max(...of.filter(isFirstWatch).map(({ since }) => Date.parse(since)));
  const from = completeFrom === null ? -Infinity : Date.parse(completeFrom);
  const days = daysUntil(Math.floor(now.value / 60_000) * 60_000);
  const strips = [...Map.groupBy(of.filter(({ subject }) => subject !== "berth"), subjectOf)].map(
    ([key, own]) => ({
      key,
      own,
      name: nameOf(own[0]!), // every group has one
      isOpen: own.some(({ closedAt }) => closedAt === null),
    }),
  );
  const rows = strips.toSorted((one, other) =>
    Number(other.isOpen) - Number(one.isOpen) || (one.name < other.name ? -1 : 1)
  ).slice(0, MOST);
  return (
    <section aria-labelledby="week">
      <div class="section-head">
        <h2 id="week">{TEXT.week}</h2>
      </div>
      <ul class="week">
        {rows.map(({ key, name, own }) => (
          <li key={key}>
            <span class="week-name">{shown(name)}</span>
            <ol class="week-days" aria-label={shown(TEXT.weekOf(name))}>
              {days.map((day) => (
                <DayOf
                  key={day.begin}
                  day={day}
                  worst={worstIn(day, own) ?? worstIn(day, gaps)}
                  none={day.begin < from ? "left" : day.end > watchedFrom ? "well" : "unwatched"}
                />
              ))}
            </ol>
          </li>
        ))}
      </ul>
      {completeFrom !== null && <p class="hint" role="note">{TEXT.leftOut(words.moment(from))}</p>}
      {strips.length > MOST && <p class="hint">{TEXT.more(strips.length - MOST)}</p>}
    </section>
  );
}

interface DayOptions {
  readonly day: Day;
  readonly worst: Incident | null;
  /** The meaning of a day without an incident: nobody can say that of one from which some are left out. */
  readonly none: "well" | "unwatched" | "left";
}

function DayOf({ day, worst, none }: DayOptions) {
  const isMissing = worst !== null && isGap(worst);
  const state = worst === null ? TEXT[none] : isMissing ? TEXT.unrecorded : TEXT.kinds[worst.kind];
  const word = `${words.day(day.begin)}: ${state}`;
  return (
    <li
      class={worst !== null ? `is-${signOf(worst)}` : none === "well" ? "is-well" : "is-unknown"}
      title={word}
    >
      <span class="unseen">{word}</span>
    </li>
  );
}
