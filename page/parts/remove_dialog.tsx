/** The question before containers are removed, with their names. */
import type { Container } from "../../client/berth/containers.ts";
import { words } from "../words/en.ts";
import { Dialog } from "./dialog.tsx";
import { shown } from "./shown.ts";

export function RemoveDialog(
  { containers, close, remove }: {
    readonly containers: readonly Container[];
    readonly close: () => void;
    readonly remove: () => void;
  },
) {
  const names = containers.slice(0, 8).map(({ name }) => shown(name)).join(", ");
  return (
    <Dialog title={words.containers.remove} onClose={close}>
      <p class="lead">
        {words.containers.removeQuestion(containers.length > 8 ? `${names} …` : names, containers.length)}
      </p>
      <p class="hint">{words.containers.removeHint}</p>
      {containers.some(({ state }) => state === "running") && (
        <p class="hint">{words.containers.removeRunning}</p>
      )}
      <div class="form-end">
        <button
          type="button"
          class="button is-danger"
          onClick={() => {
            close();
            remove();
          }}
        >
          {words.containers.remove}
        </button>
        <button type="button" class="button" onClick={close}>{words.cancel}</button>
      </div>
    </Dialog>
  );
}
