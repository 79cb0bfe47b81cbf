/** A text to take along, with a button that copies it. */
import { useState } from "preact/hooks";
import { words } from "../words/en_later.ts";
import { shown } from "./shown.ts";

export function Copied({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <span class="copied">
      <code>{shown(text)}</code>{" "}
      <button type="button" class="link" onClick={() => void copy().catch(() => setCopied(false))}>
        {isCopied ? words.copied : words.copy}
      </button>
    </span>
  );
}
