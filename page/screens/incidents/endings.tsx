/** How the containers of an incident ended, and what they said last. */
import { useState } from "preact/hooks";
import { type ContainerEnding, ENDING_LOG, ENDINGS, type LastWords } from "../../../client/berth/endings.ts";
import { useResource } from "../../live/resource.ts";
import { client, may } from "../../live/session.ts";
import { keyIfAllowed } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { Trouble } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { words } from "../../words/en_later.ts";

const TEXT = words.incidents.ends;

/** `endings` is the number that the incident counted: a further one is read at once. */
export function Endings({ incident, endings }: { readonly incident: string; readonly endings: number }) {
  const read = useResource(
    keyIfAllowed("containers:read", `endings ${incident}`),
    async (signal) => (await (await client.get(ENDINGS, { query: { incident }, signal })).json()).items,
    { revision: endings },
  );
  const [open, setOpen] = useState<ContainerEnding | null>(null);
  const items = read.value.value ?? [];
  const problem = read.problem.value;
  if (items.length === 0) return problem === null ? null : <Trouble problem={problem} again={read.reload} />;
  return (
    <section aria-labelledby="endings">
      <div class="section-head">
        <h2 id="endings">{TEXT.title}</h2>
      </div>
      {problem !== null && <Trouble problem={problem} since={read.at.value} again={read.reload} />}
      <Table label={TEXT.title} items={items} keyOf={({ id }) => id} columns={columnsWith(open, setOpen)} />
      {open !== null && <Words key={open.id} of={open} />}
    </section>
  );
}

function columnsWith(
  open: ContainerEnding | null,
  show: (one: ContainerEnding | null) => void,
): readonly Column<ContainerEnding>[] {
  return [
    {
      head: TEXT.at,
      kind: "short",
      cell: ({ at }) => <time dateTime={at}>{words.moment(Date.parse(at))}</time>,
    },
    { head: TEXT.container, kind: "name", cell: ({ container }) => shown(container) },
    {
      head: TEXT.exitCode,
      cell: ({ exitCode, outOfMemory, more }) => (
        <>
          {exitCode ?? "?"}
          {outOfMemory && `, ${TEXT.outOfMemory}`}
          {more > 0 && <span class="quiet">{TEXT.more(more)}</span>}
        </>
      ),
    },
    {
      head: TEXT.words,
      cell: (one) =>
        one.words !== "kept" || !may("containers:logs") ? TEXT.states[one.words] : (
          <button
            type="button"
            class="link"
            aria-expanded={open?.id === one.id}
            onClick={() => show(open?.id === one.id ? null : one)}
          >
            {open?.id === one.id ? TEXT.hide : TEXT.show}
          </button>
        ),
    },
  ];
}

function Words({ of: { id, container } }: { readonly of: ContainerEnding }) {
  const read = useResource(
    keyIfAllowed("containers:logs", `ending ${id}`),
    async (signal) => (await client.get(ENDING_LOG, { params: { id }, signal })).json(),
  );
  const problem = read.problem.value;
  if (problem !== null) return <Trouble problem={problem} />;
  const said: LastWords | undefined = read.value.value;
  if (said === undefined) return <p role="status">{words.loading}</p>;
  const { lines, isCut, health } = said;
  return (
    <figure class="last-words">
      <figcaption>{shown(isCut ? TEXT.endOf(container) : TEXT.wordsOf(container))}</figcaption>
      <pre tabIndex={0}>{lines.map(shown).join("\n")}</pre>
      {health !== "" && <p class="hint">{TEXT.health}: {shown(health)}</p>}
    </figure>
  );
}
