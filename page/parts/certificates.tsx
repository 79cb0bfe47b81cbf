/** A field for the certificates of a private authority. */
import { useId } from "preact/hooks";

export function Certificates({ label, hint }: { readonly label: string; readonly hint: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea id={id} name="ca" rows={3} spellcheck={false} aria-describedby={`${id}-hint`} />
      <p class="hint" id={`${id}-hint`}>{hint}</p>
    </div>
  );
}
