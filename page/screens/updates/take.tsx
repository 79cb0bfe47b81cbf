/** A newer version as a change of its line: shown, and written on request. */
import { useEffect, useState } from "preact/hooks";
import {
  type ProposedUpdate,
  type UpdateCandidate,
  type UpdateItem,
  UPDATES_PROPOSE,
} from "../../../client/berth/updates.ts";
import { WORKSPACE_FILE } from "../../../client/berth/workspaces.ts";
import { type Problem, problemOf } from "../../live/problem.ts";
import { planHref } from "../../live/projects.ts";
import { client } from "../../live/session.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Form } from "../../parts/form.tsx";
import { shown } from "../../parts/shown.ts";
import { Trouble } from "../../parts/states.tsx";
import { go } from "../../router.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.updates;

/** Returns the tag of a candidate. */
export const versionOf = ({ reference }: Pick<UpdateCandidate, "reference">): string =>
  reference.slice(reference.lastIndexOf(":") + 1);

/** A version that is to be written: a newer one, or the one before. */
export interface Taken {
  readonly item: UpdateItem;
  readonly candidate: Pick<UpdateCandidate, "reference" | "step">;
}

/** The words of the button and of its dialog. */
export const titleOf = ({ back }: UpdateItem, candidate: Taken["candidate"]): string =>
  (back?.reference === candidate.reference ? TEXT.changeBack : TEXT.change)(shown(versionOf(candidate)));

interface Proposed {
  readonly change: ProposedUpdate;
  readonly tag: string;
}

export function Take({ item, candidate, close }: Taken & { readonly close: () => void }) {
  const [proposed, setProposed] = useState<Proposed | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const { project, reference } = item;
  useEffect(() => {
    const payload = { project, reference, candidate: candidate.reference };
    client.post(UPDATES_PROPOSE, { payload }).then(
      (answer) => setProposed({ change: answer.json(), tag: answer.headers.get("etag") ?? "" }),
      (error) => setProblem(problemOf(error)),
    );
  }, []);
  return (
    <Dialog title={titleOf(item, candidate)} onClose={close}>
      {problem !== null && <Trouble problem={problem} />}
      {problem === null && proposed === null && <p class="hint" role="status">{TEXT.asking}</p>}
      {proposed !== null && <Change {...proposed} project={project} close={close} />}
      {candidate.step === "major" && <p class="hint">{TEXT.majorHint}</p>}
    </Dialog>
  );
}

function Change(
  { change, tag, project, close }: Proposed & { readonly project: string; readonly close: () => void },
) {
  const { workspace: id, path, text, editable, changes } = change;
  const write = async () => {
    await client.put(WORKSPACE_FILE, { params: { id, path }, payload: { text }, ifMatch: tag });
    go(planHref(project));
  };
  const back = <button type="button" class="button" onClick={close}>{words.cancel}</button>;
  return (
    <>
      <p class="lead">{shown(path)}</p>
      <div class="diff" role="region" aria-label={TEXT.changes(shown(path))} tabIndex={0}>
        {changes.flatMap(({ line, before, after }) => [
          <Line key={`-${line}`} number={line} sign="-" text={before} />,
          <Line key={`+${line}`} number={line} sign="+" text={after} />,
        ])}
      </div>
      {editable
        ? (
          <Form submit={TEXT.write} aside={back} send={write}>
            <p class="hint">{TEXT.changeHint}</p>
          </Form>
        )
        : (
          <>
            <p class="hint">{TEXT.notEditable(shown(path))}</p>
            <p>{back}</p>
          </>
        )}
    </>
  );
}

function Line(
  { number, sign, text }: { readonly number: number; readonly sign: "+" | "-"; readonly text: string },
) {
  return (
    <div class={`diff-line ${sign === "+" ? "is-added" : "is-removed"}`}>
      <span class="line-number">{number}</span>
      <span class="diff-sign" aria-hidden="true">{sign}</span>
      <span class="unseen">{sign === "+" ? words.files.added : words.files.removed}</span>
      <code>{shown(text)}</code>
    </div>
  );
}
