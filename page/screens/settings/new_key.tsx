/** A key is made: with what is ticked and no more, and an end. */
import { useState } from "preact/hooks";
import type { Permission } from "../../../client/berth/models.ts";
import { SETTINGS_API_KEYS } from "../../../client/berth/settings.ts";
import { client } from "../../live/session.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Form, Select } from "../../parts/form.tsx";
import { words } from "../../words/en_later.ts";
import { type GrantDraft, Grants, grantsOf, isWhole } from "./grants.tsx";

const DAYS = [30, 7, 90, 365, 0];
/** Tells how berth is, and nothing of what it looks after. */
const FEWEST: Permission = "system:read";

export function NewKey(
  { close, made }: {
    readonly close: () => void;
    readonly made: (name: string, secret: string) => void;
  },
) {
  const [drafts, setDrafts] = useState<readonly GrantDraft[]>([
    { role: "", permissions: new Set([FEWEST]), on: null },
  ]);
  const text = words.settings.keys;
  const send = async ({ name = "", days = "", from = "" }: Readonly<Record<string, string>>) => {
    const ranges = from.split(/[\s,]+/).filter((one) => one !== "");
    const payload = {
      name: name.trim(),
      grants: grantsOf(drafts),
      ...(days === "0" ? {} : { expiresInDays: Number(days) }),
      ...(ranges.length === 0 ? {} : { from: ranges }),
    };
    const answer = (await client.post(SETTINGS_API_KEYS, { payload })).json();
    made(answer.name, answer.key);
  };
  return (
    <Dialog title={text.make} onClose={close}>
      <Form
        submit={text.submit}
        isReady={isWhole(drafts)}
        aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
        send={send}
      >
        <Field label={text.newName} name="name" hint={text.newNameHint} autofocus />
        <Select label={text.lasts} name="days" options={DAYS.map((days) => [`${days}`, text.days(days)])} />
        <Grants label={text.may} drafts={drafts} change={setDrafts} />
        <Field label={text.addresses} name="from" hint={text.addressesHint} optional />
      </Form>
    </Dialog>
  );
}
