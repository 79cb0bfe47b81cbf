/** An adopted container: what follows from it, and its two ways on. Another one under its name is confirmed here. */
import { useState } from "preact/hooks";
import { ADOPTION, type Adoption, ADOPTION_CONFIRM, ADOPTIONS } from "../../../client/berth/adoptions.ts";
import type { ContainerDetail } from "../../../client/berth/containers.ts";
import { useResource } from "../../live/resource.ts";
import { client } from "../../live/session.ts";
import { Act } from "../../parts/act.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { shown } from "../../parts/shown.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.adopted;

/** Nothing for a container that nobody adopted. */
export function Adopted(
  { container: { backend, id, name, compose }, done }: {
    readonly container: ContainerDetail;
    readonly done: () => void;
  },
) {
  const [asked, setAsked] = useState<"confirm" | "end" | null>(null);
  const claim = compose?.claim;
  const read = useResource(
    claim === undefined ? null : `adoption ${backend} ${id}`,
    async (signal) => (await (await client.get(ADOPTIONS, { signal })).json()).items,
  );
  if (claim === undefined) return null;
  const adoption = read.value.value?.find((one) =>
    one.engine === backend && (claim === "certain" ? one.container === id : one.name === name)
  );
  const isLikely = claim === "likely";
  return (
    <div class="reveal">
      <p class={isLikely ? "trouble" : "quiet"}>{isLikely ? TEXT.likely : TEXT.certain}</p>
      {adoption !== undefined && (
        <>
          {isLikely && (
            <Act permission="workspaces:files" act={() => setAsked("confirm")}>{TEXT.confirm}</Act>
          )}
          <Act permission="workspaces:files" act={() => setAsked("end")}>{TEXT.end}</Act>
          {asked !== null && (
            <Question
              adoption={adoption}
              asked={asked}
              close={() => setAsked(null)}
              done={() => {
                read.reload();
                done();
              }}
            />
          )}
        </>
      )}
    </div>
  );
}

function Question(
  { adoption: { id, name, project, by }, asked, close, done }: {
    readonly adoption: Adoption;
    readonly asked: "confirm" | "end";
    readonly close: () => void;
    readonly done: () => void;
  },
) {
  const send = async () => {
    const options = { params: { id } };
    await (asked === "confirm" ? client.post(ADOPTION_CONFIRM, options) : client.delete(ADOPTION, options));
    done();
  };
  return (
    <Confirm
      title={(asked === "confirm" ? TEXT.confirm : TEXT.end).replace(" …", "")}
      question={asked === "confirm"
        ? shown(TEXT.confirmLead(name, project))
        : shown(TEXT.endLead(name, project))}
      hints={[shown(TEXT.by(by))]}
      act={send}
      close={close}
    />
  );
}
