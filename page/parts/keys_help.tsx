/** All keys, and whether single letters count. */
import { words } from "../words/en_later.ts";
import { Dialog } from "./dialog.tsx";
import { NAMED } from "../screen_table.ts";
import { areLettersOn, switchLetters } from "./keys.ts";

export function Keys({ close }: { readonly close: () => void }) {
  const { help } = words.keys;
  const letters = NAMED.flatMap(({ key, word }) => key === undefined ? [] : [[`g ${key}`, word] as const]);
  const rows = [
    ["Ctrl K", help.palette],
    ["/", help.search],
    ["j k ↑ ↓", help.walk],
    ["x", help.choose],
    [".", help.act],
    ["n N", help.next],
    ["o", help.older],
    ["w p", help.wrap],
    ["Esc", help.back],
    ["?", help.keys],
    ...letters,
  ] as const;
  return (
    <Dialog title={words.palette.keys} onClose={close}>
      <p class="lead">{words.keys.lead}</p>
      <dl class="keys">
        {rows.map(([key, word]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{word}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={areLettersOn.value}
          onChange={({ currentTarget }) => switchLetters(currentTarget.checked)}
        />
        {words.keys.single}
      </label>
      <div class="form-end">
        <button type="button" class="button" onClick={close}>{words.close}</button>
      </div>
    </Dialog>
  );
}
