/** The question for a fresh proof, over whatever asked for it. */
import { proofWanted } from "../live/proof.ts";
import { words } from "../words/en.ts";
import { Dialog } from "./dialog.tsx";
import { Field, Form } from "./form.tsx";
import { shown } from "./shown.ts";

export function ProofDialog() {
  const wanted = proofWanted.value;
  if (wanted === null) return null;
  const { title, lead, byProvider, noWayBack, submit } = words.settings.proof;
  const cancel = <button type="button" class="button" onClick={wanted.giveUp}>{words.cancel}</button>;
  if (wanted.by === "provider" && wanted.prove === null) {
    return (
      <Dialog title={title} onClose={wanted.giveUp}>
        <p class="lead">{noWayBack}</p>
        <div class="form-end">{cancel}</div>
      </Dialog>
    );
  }
  return (
    <Dialog title={title} onClose={wanted.giveUp}>
      <p class="lead">{lead}</p>
      {wanted.by === "provider"
        ? (
          <Form submit={words.signIn.at(shown(wanted.name))} aside={cancel} send={() => wanted.prove!()}>
            <p class="hint">{byProvider}</p>
          </Form>
        )
        : (
          <Form submit={submit} aside={cancel} send={({ secret = "" }) => wanted.prove(secret.trim())}>
            <Field
              label={words.settings.proof[wanted.by]}
              name="secret"
              type="password"
              autocomplete={wanted.by === "password" ? "current-password" : "off"}
              autofocus
            />
          </Form>
        )}
    </Dialog>
  );
}
