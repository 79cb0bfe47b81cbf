/** The question before something that cannot be taken back, with what goes wrong below it. */
import type { ComponentChildren } from "preact";
import { words } from "../words/en_later.ts";
import { Dialog } from "./dialog.tsx";
import { Form } from "./form.tsx";

export function Confirm(
  { title, question, hints = [], act, close, isReady = true, children }: {
    /** Also what the button says. */
    readonly title: string;
    readonly question: string;
    readonly hints?: readonly string[];
    /** Gets the fields in `children` by name. */
    readonly act: (fields: Readonly<Record<string, string>>) => Promise<unknown>;
    readonly close: () => void;
    readonly isReady?: boolean | ((fields: Readonly<Record<string, string>>) => boolean);
    readonly children?: ComponentChildren;
  },
) {
  return (
    <Dialog title={title} onClose={close}>
      <p class="lead">{question}</p>
      {hints.map((hint) => <p class="hint" key={hint}>{hint}</p>)}
      <Form
        submit={title}
        kind="is-danger"
        isReady={isReady}
        aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
        send={async (fields) => {
          await act(fields);
          close();
        }}
      >
        {children}
      </Form>
    </Dialog>
  );
}
