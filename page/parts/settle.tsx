/** Brings the file to the container: shows the exact change of the text first, and changes no container. */
import { useState } from "preact/hooks";
import { WORKSPACE_ARTIFACTS_UNIT_SETTLE } from "../../client/berth/workspaces.ts";
import type { Unit } from "../live/overview.ts";
import { problemOf } from "../live/problem.ts";
import { proved } from "../live/proof.ts";
import { useResource } from "../live/resource.ts";
import { client, may } from "../live/session.ts";
import { words } from "../words/en_later.ts";
import { Dialog } from "./dialog.tsx";
import { Diff } from "./diff.tsx";
import { Form } from "./form.tsx";
import { shown } from "./shown.ts";
import { Loading, Trouble } from "./states.tsx";

const TEXT = words.settle;

/** Nothing where no difference is one of a container, or the caller may not write files. */
export function Settle({ unit, done }: { readonly unit: Unit; readonly done: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const container = unit.differences.find((one) => one.container !== null)?.container ?? null;
  if (container === null || !may("workspaces:files")) return null;
  const fields = unit.differences.flatMap((one) =>
    one.container === container && one.mount === undefined ? [one.field] : []
  );
  if (fields.length === 0) return null;
  return (
    <>
      <div class="form-end">
        <button type="button" class="button" onClick={() => setOpen(true)}>{TEXT.open}</button>
      </div>
      {isOpen && (
        <Question
          unit={unit}
          container={container}
          fields={[...new Set(fields)]}
          close={() => setOpen(false)}
          done={done}
        />
      )}
    </>
  );
}

function Question(
  { unit, container, fields, close, done }: {
    readonly unit: Unit;
    readonly container: string;
    readonly fields: readonly string[];
    readonly close: () => void;
    readonly done: () => void;
  },
) {
  const [chosen, setChosen] = useState<readonly string[]>(fields.slice(0, 1));
  const options = {
    params: { id: unit.workspace, name: unit.name },
    payload: { container, fields: [...chosen] },
  };
  const read = useResource(
    chosen.length === 0 ? null : `settle ${unit.workspace} ${unit.name} ${container} ${chosen.join(" ")}`,
    (signal) =>
      proved(async () => {
        const answer = await client.post(WORKSPACE_ARTIFACTS_UNIT_SETTLE, {
          ...options,
          query: { preview: true },
          signal,
        });
        return { file: answer.json(), etag: answer.headers.get("etag") ?? "" };
      }).catch((error) => {
        if (problemOf(error) === null && !signal.aborted) close(); // the proof was given up, and this with it
        throw error;
      }),
    { live: false },
  );
  const preview = chosen.length === 0 ? undefined : read.value.value;
  const problem = read.problem.value;
  const save = async () => {
    await client.post(WORKSPACE_ARTIFACTS_UNIT_SETTLE, {
      ...options,
      ifMatch: preview?.etag ?? "",
    });
    close();
    done();
  };
  return (
    <Dialog title={TEXT.title} onClose={close}>
      <p class="lead">{shown(TEXT.lead(container))}</p>
      <Form
        submit={TEXT.save}
        isReady={preview !== undefined && problem === null}
        aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
        send={save}
      >
        <fieldset class="settle-fields">
          <legend>{TEXT.fields}</legend>
          {fields.map((field) => (
            <label key={field}>
              <input
                type="checkbox"
                checked={chosen.includes(field)}
                onChange={(event) =>
                  setChosen(
                    fields.filter((one) =>
                      one === field ? event.currentTarget.checked : chosen.includes(one)
                    ),
                  )}
              />{" "}
              {shown(field)}
            </label>
          ))}
        </fieldset>
        {chosen.length > 0 && problem !== null && <Trouble problem={problem} />}
        {chosen.length > 0 && problem === null && preview === undefined && <Loading />}
        {problem === null && preview?.file.changes.map(({ line, before, after }) => (
          <div key={line}>
            <p class="hint">{shown(TEXT.at(preview.file.path, line))}</p>
            <Diff before={before} after={after} label={TEXT.change} />
          </div>
        ))}
      </Form>
    </Dialog>
  );
}
