/** The question for a fresh proof, over whatever asked for it. */
import { proofWanted } from "../live/proof.ts";
import { words } from "../words/en.ts";
import { Dialog } from "./dialog.tsx";
import { Field, Form } from "./form.tsx";

export function ProofDialog() {
  const wanted = proofWanted.value;
  if (wanted === null) return null;
  const { title, lead, byProvider, submit } = words.settings.proof;
  const cancel = <button type="button" class="button" onClick={wanted.giveUp}>{words.cancel}</button>;
  return (
    <Dialog title={title} onClose={wanted.giveUp}>
      {wanted.by === "provider"
        ? (
          <>
            <p class="lead">{byProvider}</p>
            <div class="form-end">{cancel}</div>
          </>
        )
        : (
          <>
            <p class="lead">{lead}</p>
            <Form submit={submit} aside={cancel} send={({ secret = "" }) => wanted.prove(secret.trim())}>
              <Field
                label={words.settings.proof[wanted.by]}
                name="secret"
                type="password"
                autocomplete={wanted.by === "password" ? "current-password" : "off"}
                autofocus
              />
            </Form>
          </>
        )}
    </Dialog>
  );
}
