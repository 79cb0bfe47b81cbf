/** A key is made: with what is ticked and no more, and an end. */
import { useState } from "preact/hooks";
import type { Permission, Role } from "../../../client/berth/models.ts";
import { SETTINGS_API_KEYS } from "../../../client/berth/settings.ts";
import { proved } from "../../live/proof.ts";
import { client, who } from "../../live/session.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Form, Select } from "../../parts/form.tsx";
import { words } from "../../words/en.ts";

const DAYS = [30, 7, 90, 365, 0];
const ROLES: readonly Role[] = ["viewer", "operator", "admin"];
/** Tells how berth is, and nothing of what it looks after. */
const FEWEST: Permission = "system:read";

export function NewKey(
  { close, made }: {
    readonly close: () => void;
    readonly made: (name: string, secret: string) => void;
  },
) {
  const [held, setHeld] = useState("");
  const [ticked, setTicked] = useState<ReadonlySet<Permission>>(new Set([FEWEST]));
  const text = words.settings.keys;
  const toggle = (permission: Permission) => {
    const next = new Set(ticked);
    if (!next.delete(permission)) next.add(permission);
    setTicked(next);
  };
  const send = async ({ name = "", days = "", from = "" }: Readonly<Record<string, string>>) => {
    const ranges = from.split(/[\s,]+/).filter((one) => one !== "");
    const common = {
      name: name.trim(),
      ...(days === "0" ? {} : { expiresInDays: Number(days) }),
      ...(ranges.length === 0 ? {} : { from: ranges }),
    };
    const payload = held === "" ? { ...common, permissions: [...ticked] } : { ...common, role: held as Role };
    const answer = (await proved(() => client.post(SETTINGS_API_KEYS, { payload }))).json();
    made(answer.name, answer.key);
  };
  return (
    <Dialog title={text.make} onClose={close}>
      <Form
        submit={text.submit}
        aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
        send={send}
      >
        <Field label={text.newName} name="name" hint={text.newNameHint} autofocus />
        <Select label={text.lasts} name="days" options={DAYS.map((days) => [`${days}`, text.days(days)])} />
        <Select
          label={text.may}
          name="held"
          value={held}
          onChange={setHeld}
          options={[["", text.these], ...ROLES.map((role) => [role, text.role(role)] as const)]}
        />
        {held === "" && (
          <fieldset class="ticks">
            <legend>{text.permissions}</legend>
            <p class="hint">{text.permissionsHint}</p>
            {(who.value?.permissions ?? []).toSorted().map((permission) => (
              <label key={permission}>
                <input
                  type="checkbox"
                  checked={ticked.has(permission)}
                  onClick={() => toggle(permission)}
                />
                <code>{permission}</code>
              </label>
            ))}
          </fieldset>
        )}
        <Field label={text.addresses} name="from" hint={text.addressesHint} optional />
      </Form>
    </Dialog>
  );
}
