/** One incident: since when, because of what, and every change of it. */
import { INCIDENT, type IncidentDetail } from "../../../client/berth/incidents.ts";
import { planHref } from "../../live/projects.ts";
import { useResource } from "../../live/resource.ts";
import { client, may } from "../../live/session.ts";
import { causeText, sinceText } from "../../parts/cause.ts";
import { keyIfAllowed, Reading } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { type Column, Table } from "../../parts/table.tsx";
import type { Parts } from "../../screen_table.ts";
import { words } from "../../words/en_later.ts";
import { Endings } from "./endings.tsx";
import { MuteButton } from "./mutes.tsx";
import { nameOf, ProjectLink, projectOf, State } from "./subject.tsx";

const TEXT = words.incidents;

export function Incident({ id = "" }: Parts) {
  const read = useResource(
    keyIfAllowed("artifacts:read", `incident ${id}`),
    async (signal) => (await client.get(INCIDENT, { params: { id }, signal })).json(),
  );
  return (
    <Reading read={read} permission="artifacts:read">
      {(incident) => <Shown incident={incident} reload={read.reload} />}
    </Reading>
  );
}

function Shown(
  { incident, reload }: { readonly incident: IncidentDetail; readonly reload: () => void },
) {
  const { cause, closedAt, end, atFirst, endings, history, kind, mutedUntil } = incident;
  const project = projectOf(incident);
  const isPlanned = project !== null && closedAt === null && kind !== "broken" && may("projects:plan");
  return (
    <>
      <header class="screen-head">
        <h1>{shown(nameOf(incident))}</h1>
        <State of={incident} />
        <ProjectLink of={incident} />
        {closedAt === null && mutedUntil === null && <MuteButton incident={incident.id} muted={reload} />}
        {isPlanned && <a class="button" href={planHref(project)}>{TEXT.plan}</a>}
      </header>
      <p>
        {shown(sinceText(incident))}, {shown(causeText(cause))}
        {endings > 1 && `, ${TEXT.endings(endings)}`}
      </p>
      <p class="hint">
        {closedAt === null ? TEXT.open : `${TEXT.until} ${words.moment(Date.parse(closedAt))}`}
        {(end === "away" || end === "undeclared") && `, ${TEXT[end]}`}
        {atFirst && `, ${TEXT.atFirst}`}
        {mutedUntil !== null && `, ${TEXT.mutes.until(words.moment(Date.parse(mutedUntil)))}`}
      </p>
      {endings > 0 && <Endings incident={incident.id} endings={endings} />}
      <section aria-labelledby="changes">
        <div class="section-head">
          <h2 id="changes">{TEXT.history}</h2>
        </div>
        <Table
          label={TEXT.history}
          items={history.map((line, at) => ({ ...line, key: at }))}
          keyOf={({ key }) => key}
          columns={COLUMNS}
        />
      </section>
    </>
  );
}

type Change = IncidentDetail["history"][number] & { readonly key: number };

const COLUMNS: readonly Column<Change>[] = [
  {
    head: TEXT.at,
    kind: "short",
    cell: ({ at }) => <time dateTime={at}>{words.moment(Date.parse(at))}</time>,
  },
  { head: TEXT.state, kind: "short", cell: (one) => <State of={one} /> },
  { head: TEXT.cause, cell: ({ cause }) => shown(causeText(cause)) },
  {
    head: TEXT.fields,
    cell: ({ fields }) =>
      fields.map(({ field, declared, actual, file, line }) => (
        <div key={field}>
          <code>{shown(field)}</code> {declared !== undefined && actual !== undefined && (
            <>
              <ins>{shown(declared)}</ins> ≠ {words.unit.runs} <del>{shown(actual)}</del>
            </>
          )} {file !== undefined && <span class="quiet">{shown(`${file}:${line}`)}</span>}
        </div>
      )),
  },
];
