/** The volumes of every engine, who mounts each, and removing one for good. */
import { VOLUME, type Volume } from "../../../client/berth/volumes.ts";
import { useRows } from "../../live/rows.ts";
import { client, LONG_S } from "../../live/session.ts";
import { Ago } from "../../parts/ago.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Field } from "../../parts/form.tsx";
import { Objects } from "../../parts/objects.tsx";
import { keyIfAllowed } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty } from "../../parts/states.tsx";
import type { Column } from "../../parts/table.tsx";
import { words } from "../../words/en_later.ts";

const TEXT = words.volumes;

export function Volumes() {
  const read = useRows(keyIfAllowed("volumes:read", "volumes"), "volumes");
  return (
    <Objects
      title={words.titles.volumes}
      count={TEXT.count}
      read={read}
      permissions={{ read: "volumes:read", write: "volumes:write" }}
      none={
        <Empty title={TEXT.none}>
          <p class="hint">{TEXT.noneHint}</p>
        </Empty>
      }
      columns={COLUMNS}
      keyOf={({ backend, name }) => `${backend} ${name}`}
      textOf={({ name, backend, driver }) => `${name} ${backend} ${driver}`}
      nameOf={({ name }) => name}
      usersOf={({ usedBy }) => usedBy}
      removal={({ name, backend }, close) => (
        <Confirm
          title={words.lists.remove}
          question={TEXT.removeQuestion(shown(name))}
          hints={[TEXT.removeHint]}
          close={close}
          isReady={({ typed = "" }) => typed === name}
          act={async () => {
            await client.delete(VOLUME, { params: { name }, query: { backend }, timeoutS: LONG_S });
            read.reload();
          }}
        >
          <Field label={TEXT.typeName} name="typed" hint={shown(name)} autofocus />
        </Confirm>
      )}
    />
  );
}

const COLUMNS: readonly Column<Volume>[] = [
  { head: TEXT.name, kind: "name", cell: ({ name }) => <strong>{shown(name)}</strong> },
  { head: TEXT.driver, kind: "short", cell: ({ driver }) => shown(driver) },
  {
    head: TEXT.size,
    kind: "end",
    cell: ({ size }) => size === null ? <span class="quiet">{TEXT.notMeasured}</span> : words.bytes(size),
  },
  {
    head: TEXT.made,
    kind: "short",
    cell: ({ createdAt }) => createdAt !== null && <Ago since={Date.parse(createdAt)} say={words.ago} />,
  },
];
