/** A notice is added: the kind of target, its address, and what it is told of. */
import { type NewNotice as Payload, NOTICES } from "../../../client/berth/notices.ts";
import { client } from "../../live/session.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Form, Select } from "../../parts/form.tsx";
import { words } from "../../words/en_later.ts";

const TEXT = words.notices;

export function NewNotice({ close, made }: { readonly close: () => void; readonly made: () => void }) {
  const send = async (fields: Readonly<Record<string, string>>) => {
    await client.post(NOTICES, { payload: payloadOf(fields) });
    made();
    close();
  };
  return (
    <Dialog title={TEXT.add} onClose={close}>
      <Form
        submit={TEXT.submit}
        aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
        send={send}
      >
        <Field label={TEXT.name} name="name" autofocus />
        <Select label={TEXT.target} name="kind" options={Object.entries(TEXT.kinds)} />
        <Field label={TEXT.address} name="address" hint={TEXT.addressHint} />
        <Field label={TEXT.secret} name="secret" type="password" hint={TEXT.secretHint} optional />
        <Field label={TEXT.on} name="on" hint={TEXT.onHint} optional />
        <Field label={TEXT.quietHours} name="quiet" hint={TEXT.quietHint} optional />
      </Form>
    </Dialog>
  );
}

function payloadOf(
  { name = "", kind = "", address = "", secret = "", on = "", quiet = "" }: Readonly<Record<string, string>>,
): Payload {
  const scopes = on.split(/[\s,]+/).filter((scope) => scope !== "");
  const [from = "", to = ""] = quiet.split(/\s*[-–]\s*/);
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  return {
    name: name.trim(),
    kind: kind as Payload["kind"], // one of the options
    address: address.trim(),
    ...(secret === "" ? {} : { secret }),
    on: scopes,
    ...(quiet.trim() === "" ? {} : { quiet: { from: from.trim(), to: to.trim(), zone } }),
  };
}
