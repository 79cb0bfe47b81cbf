/** Mutes: an incident of which nobody is told for a while, and all mutes with their end. */
import { useMemo, useState } from "preact/hooks";
import { MUTE, type Mute, MUTES } from "../../../client/berth/mutes.ts";
import { Acting } from "../../live/acting.ts";
import { useResource } from "../../live/resource.ts";
import { client, may } from "../../live/session.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Form, Select } from "../../parts/form.tsx";
import { keyIfAllowed } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { Trouble } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { words } from "../../words/en_later.ts";

const TEXT = words.incidents.mutes;

export function MuteButton(
  { incident, muted }: { readonly incident: string; readonly muted: () => void },
) {
  const [isOpen, setOpen] = useState(false);
  if (!may("incidents:mute")) return null;
  const close = () => setOpen(false);
  const send = async ({ time = "" }: Readonly<Record<string, string>>) => {
    await client.post(MUTES, { payload: { incident, forS: Number(time) } });
    close();
    muted();
  };
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>{TEXT.mute}</button>
      {isOpen && (
        <Dialog title={TEXT.mute} onClose={close}>
          <Form
            submit={TEXT.mute}
            aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
            send={send}
          >
            <p>{TEXT.hint}</p>
            <Select label={TEXT.time} name="time" options={Object.entries(TEXT.times)} />
          </Form>
        </Dialog>
      )}
    </>
  );
}

/** The mutes that have not ended; nothing where there is none. */
export function Mutes() {
  const read = useResource(
    keyIfAllowed("incidents:mute", "mutes"),
    async (signal) => (await (await client.get(MUTES, { signal })).json()).items,
  );
  const acting = useMemo(() => new Acting(), []);
  const problem = acting.problem.value;
  const items = read.value.value ?? [];
  const unread = read.problem.value;
  if (items.length === 0) return unread === null ? null : <Trouble problem={unread} again={read.reload} />;
  // One that is gone has ended meanwhile.
  const end = ({ id }: Mute) =>
    acting.act(() => client.delete(MUTE, { params: { id } }), { gone: true }).then(read.reload);
  return (
    <section aria-labelledby="mutes">
      <div class="section-head">
        <h2 id="mutes">{TEXT.title}</h2>
      </div>
      {problem !== null && <Trouble problem={problem} />}
      {unread !== null && <Trouble problem={unread} since={read.at.value} again={read.reload} />}
      <Table label={TEXT.title} items={items} keyOf={({ id }) => id} columns={columnsWith(end)} />
    </section>
  );
}

function columnsWith(end: (mute: Mute) => Promise<void>): readonly Column<Mute>[] {
  return [
    {
      head: TEXT.what,
      kind: "name",
      cell: ({ on, unit, incident }) =>
        incident === null
          ? shown([on, unit?.replace(/^unit:/, "")].filter(Boolean).join(" "))
          : <a href={`/incidents/${encodeURIComponent(incident)}`}>{TEXT.oneIncident}</a>,
    },
    {
      head: words.incidents.state,
      cell: ({ kinds }) =>
        kinds.length === 0 ? TEXT.allKinds : kinds.map((kind) => words.incidents.kinds[kind]).join(", "),
    },
    {
      head: words.incidents.until,
      kind: "short",
      cell: ({ until }) => <time dateTime={until}>{words.moment(Date.parse(until))}</time>,
    },
    { head: TEXT.by, cell: ({ createdBy }) => shown(createdBy) },
    {
      head: words.actions,
      kind: "acts",
      cell: (mute) => <button type="button" class="link" onClick={() => void end(mute)}>{TEXT.end}</button>,
    },
  ];
}
