/** The button that shows values in clear, with its question, and the one that masks them again. */
import { useState } from "preact/hooks";
import type { Permission } from "../../client/berth/models.ts";
import { words } from "../words/en_later.ts";
import { Act } from "./act.tsx";
import { Confirm } from "./confirm.tsx";

export function ShowValues(
  { permission, isShown, show, mask }: {
    readonly permission: Permission;
    readonly isShown: boolean;
    readonly show: () => Promise<void>;
    readonly mask: () => void;
  },
) {
  const [isAsking, setAsking] = useState(false);
  const { reveal, revealQuestion, mask: again } = words.container;
  return (
    <>
      {isShown
        ? <button type="button" class="button" onClick={mask}>{again}</button>
        : <Act permission={permission} act={() => setAsking(true)}>{`${reveal} …`}</Act>}
      {isAsking && (
        <Confirm
          title={reveal}
          question={revealQuestion}
          act={show}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}
