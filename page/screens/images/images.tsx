/** The images of every engine, who uses each, and pulling another. */
import { useState } from "preact/hooks";
import { IMAGE, type Image } from "../../../client/berth/images.ts";
import { useRows } from "../../live/rows.ts";
import { client, LONG_S } from "../../live/session.ts";
import { Act } from "../../parts/act.tsx";
import { Ago } from "../../parts/ago.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Objects } from "../../parts/objects.tsx";
import { keyIfAllowed } from "../../parts/reading.tsx";
import { shortOf } from "../../parts/short_id.ts";
import { shown } from "../../parts/shown.ts";
import { Empty } from "../../parts/states.tsx";
import type { Column } from "../../parts/table.tsx";
import { words } from "../../words/en_later.ts";
import { Pull } from "./pull.tsx";

const TEXT = words.images;

export function Images() {
  const read = useRows(keyIfAllowed("images:read", "images"), "images");
  const [isPulling, setPulling] = useState(false);
  return (
    <>
      <Objects
        title={words.titles.images}
        count={TEXT.count}
        read={read}
        permissions={{ read: "images:read", write: "images:write" }}
        none={
          <Empty title={TEXT.none}>
            <p class="hint">{TEXT.noneHint}</p>
          </Empty>
        }
        end={<Act permission="images:write" act={() => setPulling(true)}>{TEXT.pull}</Act>}
        columns={COLUMNS}
        keyOf={({ backend, id }) => `${backend} ${id}`}
        textOf={({ id, tags, backend }) => `${id} ${tags.join(" ")} ${backend}`}
        nameOf={({ id, tags }) => tags[0] ?? shortOf(id)}
        usersOf={({ usedBy }) => usedBy}
        removal={(image, close) => (
          <Removal
            image={image}
            isAsAsked={isSame(image, read.value.value?.items)}
            close={close}
            reload={read.reload}
          />
        )}
      />
      {isPulling && <Pull close={() => setPulling(false)} done={read.reload} />}
    </>
  );
}

/** True while the image has the names that it had: another one would lose a name that has moved to it. */
const isSame = ({ backend, id, tags }: Image, now: readonly Image[] = []): boolean =>
  now.some((one) =>
    one.backend === backend && one.id === id && one.tags.toSorted().join() === tags.toSorted().join()
  );

/** With its last name the image goes, too; without a name, by its id. */
function Removal(
  { image: { id, tags, backend }, isAsAsked, close, reload }: {
    readonly image: Image;
    readonly isAsAsked: boolean;
    readonly close: () => void;
    readonly reload: () => void;
  },
) {
  const [isBegun, setBegun] = useState(false);
  const isOther = !isBegun && !isAsAsked;
  return (
    <Confirm
      title={words.lists.remove}
      question={TEXT.removeQuestion(shown(tags.join(", ") || shortOf(id)))}
      hints={[isOther ? TEXT.removeOther : TEXT.removeHint]}
      isReady={!isOther}
      close={close}
      act={async () => {
        setBegun(true); // its names go one after the other
        try {
          for (const name of tags.length === 0 ? [id] : tags) {
            await client.delete(IMAGE, { params: { id: name }, query: { backend }, timeoutS: LONG_S });
          }
        } finally {
          setBegun(false);
          reload();
        }
      }}
    />
  );
}

const COLUMNS: readonly Column<Image>[] = [
  {
    head: TEXT.name,
    kind: "name",
    cell: ({ tags, id }) => (
      <>
        {tags.length === 0 && <span class="quiet">{TEXT.unnamed}</span>}
        {tags.map((tag) => <strong key={tag}>{shown(tag)}</strong>)}
        <code class="quiet" title={id}>{shortOf(id)}</code>
      </>
    ),
  },
  { head: TEXT.size, kind: "end", cell: ({ size }) => words.bytes(size) },
  {
    head: TEXT.made,
    kind: "short",
    cell: ({ createdAt }) => <Ago since={Date.parse(createdAt)} say={words.ago} />,
  },
];
