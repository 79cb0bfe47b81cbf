/** The question before containers are removed, with their names and with what goes along. */
import { useState } from "preact/hooks";
import type { Container } from "../../client/berth/containers.ts";
import { words } from "../words/en_later.ts";
import { Dialog } from "./dialog.tsx";
import { shown } from "./shown.ts";

/** The names that engines give to volumes created without one. */
const UNNAMED = /^[0-9a-f]{64}$/;

export interface RemoveDialogProps {
  readonly containers: readonly Container[];
  readonly close: () => void;
  readonly remove: (options: { readonly volumes: boolean }) => void;
}

export function RemoveDialog({ containers, close, remove }: RemoveDialogProps) {
  const [isWithVolumes, setWithVolumes] = useState(false);
  const [typed, setTyped] = useState("");
  const names = containers.slice(0, 8).map(({ name }) => shown(name)).join(", ");
  const volumes = new Set(
    containers.flatMap(({ mounts }) =>
      mounts.flatMap(({ type, name }) => type === "volume" ? name ?? [] : [])
    ),
  );
  const unnamed = [...volumes].filter((name) => UNNAMED.test(name));
  const named = [...volumes].filter((name) => !UNNAMED.test(name)).sort();
  const listed = named.slice(0, 8).map(shown).join(", ");
  // Data is removed with one container at a time: its name says which.
  const [only] = containers.length === 1 && unnamed.length > 0 ? containers : [];
  const isSure = !isWithVolumes || typed === only?.name;
  return (
    <Dialog title={words.containers.remove} onClose={close}>
      <p class="lead">
        {words.removal.removeQuestion(containers.length > 8 ? `${names} …` : names, containers.length)}
      </p>
      <p class="hint">{words.removal.removeHint(named.length > 8 ? `${listed} …` : listed)}</p>
      {containers.some(({ state }) => state === "running") && (
        <p class="hint">{words.removal.removeRunning}</p>
      )}
      {only !== undefined && (
        <label class="check">
          <input
            type="checkbox"
            checked={isWithVolumes}
            onChange={({ currentTarget }) => setWithVolumes(currentTarget.checked)}
          />
          {words.removal.removeVolumes(unnamed.length)}
        </label>
      )}
      {only !== undefined && isWithVolumes && (
        <div class="field">
          <label for="typed-name">{words.removal.typeName(shown(only.name))}</label>
          <input
            id="typed-name"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </div>
      )}
      <div class="form-end">
        <button
          type="button"
          class="button is-danger"
          disabled={!isSure}
          onClick={() => {
            close();
            remove({ volumes: isWithVolumes });
          }}
        >
          {words.containers.remove}
        </button>
        <button type="button" class="button" onClick={close}>{words.cancel}</button>
      </div>
    </Dialog>
  );
}
