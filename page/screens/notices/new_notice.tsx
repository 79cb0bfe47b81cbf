/** A notice is added: the kind of target, its address, and what it is told of. */
import { useState } from "preact/hooks";
import { type NewNotice as Payload, NOTICES } from "../../../client/berth/notices.ts";
import { client } from "../../live/session.ts";
import { Certificates } from "../../parts/certificates.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Form, Select } from "../../parts/form.tsx";
import { words } from "../../words/en_later.ts";

const TEXT = words.notices;

export function NewNotice({ close, made }: { readonly close: () => void; readonly made: () => void }) {
  const [kind, setKind] = useState("webhook");
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
        <Select label={TEXT.target} name="kind" options={Object.entries(TEXT.kinds)} onChange={setKind} />
        {kind === "mail" ? <MailFields /> : (
          <>
            <Field label={TEXT.address} name="address" hint={TEXT.addressHint} />
            <Field label={TEXT.secret} name="secret" type="password" hint={TEXT.secretHint} optional />
          </>
        )}
        <Field label={TEXT.on} name="on" hint={TEXT.onHint} optional />
        <Field label={TEXT.quietHours} name="quiet" hint={TEXT.quietHint} optional />
        <Certificates label={words.registries.ca} hint={words.registries.caHint} />
      </Form>
    </Dialog>
  );
}

function MailFields() {
  const { mail } = TEXT;
  return (
    <>
      <Field label={mail.server} name="server" hint={mail.serverHint} />
      <Select label={mail.tls} name="tls" options={Object.entries(mail.ways)} />
      <Field label={mail.from} name="from" />
      <Field label={mail.to} name="to" hint={mail.toHint} />
      <Field label={mail.user} name="user" hint={mail.userHint} optional />
      <Field label={mail.password} name="secret" type="password" optional />
    </>
  );
}

type Fields = Readonly<Record<string, string>>;

/** Returns the address of a mail notice as the API takes it. */
function mailAddress({ server = "", tls = "", from = "", to = "", user = "" }: Fields): string {
  const query = new URLSearchParams({ from: from.trim(), to: to.replaceAll(/\s+/g, "") });
  if (user.trim() !== "") query.set("user", user.trim());
  if (tls === "none") query.set("tls", "no");
  return `${tls === "direct" ? "smtps" : "smtp"}://${server.trim()}?${query}`;
}

function payloadOf(fields: Fields): Payload {
  const { name = "", kind = "", secret = "", on = "", quiet = "", ca = "" } = fields;
  const address = kind === "mail" ? mailAddress(fields) : fields["address"] ?? "";
  const scopes = on.split(/[\s,]+/).filter((scope) => scope !== "");
  const [from = "", to = ""] = quiet.split(/\s*[-–]\s*/);
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  return {
    name: name.trim(),
    kind: kind as Payload["kind"], // one of the options
    address: address.trim(),
    ...(secret === "" ? {} : { secret }),
    ...(ca.trim() === "" ? {} : { ca: ca.trim() }),
    on: scopes,
    ...(quiet.trim() === "" ? {} : { quiet: { from: from.trim(), to: to.trim(), zone } }),
  };
}
