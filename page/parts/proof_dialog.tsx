/** The question for a fresh proof, over whatever asked for it. */
import type { ComponentChild } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Problem, problemOf } from "../live/problem.ts";
import { proofWanted } from "../live/proof_wanted.ts";
import { words } from "../words/en_later.ts";
import { Dialog } from "./dialog.tsx";
import { Field, Form } from "./form.tsx";
import { shown } from "./shown.ts";
import { Trouble } from "./states.tsx";

export function ProofDialog() {
  const wanted = proofWanted.value;
  if (wanted === null) return null;
  const { title, lead, noWayBack, submit } = words.settings.proof;
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
        ? <AtProvider name={wanted.name} prove={wanted.prove!} cancel={cancel} />
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

/** An answer comes before the person does, where its window closes by itself. */
const SHORTLY_MS = 1_000;

/**
 * The window belongs to the provider, so nobody tells whether it is still open: whoever comes back to this one without an
 * answer is told so, and can ask again.
 */
function AtProvider(
  { name, prove, cancel }: {
    readonly name: string;
    readonly prove: (ending: AbortSignal) => Promise<boolean>;
    readonly cancel: ComponentChild;
  },
) {
  const [state, setState] = useState<"unasked" | "asked" | "left" | "refused">("unasked");
  const [problem, setProblem] = useState<Problem | null>(null);
  const turn = useRef(new AbortController());
  const ask = async () => {
    turn.current.abort();
    const { signal } = turn.current = new AbortController();
    setProblem(null);
    setState("asked");
    try {
      if (!await prove(signal)) setState("refused");
    } catch (error) {
      if (signal.aborted) return;
      setProblem(problemOf(error));
      setState("unasked");
    }
  };
  useEffect(() => () => turn.current.abort(), []);
  useEffect(() => {
    if (state !== "asked") return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const back = () => timer = setTimeout(() => setState("left"), SHORTLY_MS);
    addEventListener("focus", back, { once: true });
    return () => {
      removeEventListener("focus", back);
      clearTimeout(timer);
    };
  }, [state]);
  const provider = shown(name);
  const { byProvider, asked, left } = words.settings.proof;
  return (
    <>
      {state === "unasked" && <p class="hint">{byProvider}</p>}
      {state === "asked" && <p class="hint" role="status">{asked(provider)}</p>}
      {state === "left" && <p class="trouble" role="alert">{left(provider)}</p>}
      {state === "refused" && <p class="trouble" role="alert">{words.signIn.refused(provider)}</p>}
      {problem !== null && <Trouble problem={problem} />}
      <div class="form-end">
        <button type="button" class="button is-main" disabled={state === "asked"} onClick={() => void ask()}>
          {state === "unasked" ? words.signIn.at(provider) : words.again}
        </button>
        {cancel}
      </div>
    </>
  );
}
