/** Something that is shown this once, with a button that copies it. */
import { useState } from "preact/hooks";
import { words } from "../words/en_later.ts";
import { Dialog } from "./dialog.tsx";

export function SecretDialog(
  { title, lead, hint, value, close }: {
    readonly title: string;
    readonly lead: string;
    readonly hint?: string;
    readonly value: string;
    readonly close: () => void;
  },
) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  return (
    <Dialog title={title}>
      <p class="lead">{lead}</p>
      <p class="secret">
        <code>{value}</code>
        <button type="button" class="button" onClick={copy}>{isCopied ? words.copied : words.copy}</button>
      </p>
      {hint !== undefined && <p class="hint">{hint}</p>}
      <div class="form-end">
        <button type="button" class="button is-main" onClick={close}>{words.saved}</button>
      </div>
    </Dialog>
  );
}
