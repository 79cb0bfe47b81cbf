/** The networks of every engine, and who is connected to each. */
import { NETWORK, type Network } from "../../../client/berth/networks.ts";
import { useRows } from "../../live/rows.ts";
import { client, LONG_S } from "../../live/session.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Objects } from "../../parts/objects.tsx";
import { keyIfAllowed } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty } from "../../parts/states.tsx";
import type { Column } from "../../parts/table.tsx";
import { words } from "../../words/en_later.ts";

const TEXT = words.networks;

export function Networks() {
  const read = useRows(keyIfAllowed("networks:read", "networks"), "networks");
  return (
    <Objects
      title={words.titles.networks}
      count={TEXT.count}
      read={read}
      permissions={{ read: "networks:read", write: "networks:write" }}
      none={<Empty title={TEXT.none} />}
      columns={COLUMNS}
      keyOf={({ backend, id }) => `${backend} ${id}`}
      textOf={({ name, id, backend, driver }) => `${name} ${id} ${backend} ${driver}`}
      nameOf={({ name }) => name}
      usersOf={({ containers }) => containers}
      keptBy={({ predefined }) => predefined ? TEXT.predefined : null}
      removal={({ id, name, backend }, close) => (
        <Confirm
          title={words.lists.remove}
          question={TEXT.removeQuestion(shown(name))}
          hints={[TEXT.removeHint]}
          close={close}
          act={async () => {
            await client.delete(NETWORK, { params: { name: id }, query: { backend }, timeoutS: LONG_S });
            read.reload();
          }}
        />
      )}
    />
  );
}

const COLUMNS: readonly Column<Network>[] = [
  {
    head: TEXT.name,
    kind: "name",
    cell: ({ name, internal }) => (
      <>
        <strong>{shown(name)}</strong>
        {internal && <span class="quiet">{TEXT.internal}</span>}
      </>
    ),
  },
  { head: TEXT.driver, kind: "short", cell: ({ driver }) => shown(driver) },
  {
    head: TEXT.subnets,
    cell: ({ subnets }) =>
      subnets.length > 0 && <code>{shown(subnets.map(({ subnet }) => subnet).join(", "))}</code>,
  },
];
