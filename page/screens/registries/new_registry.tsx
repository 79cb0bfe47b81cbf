/** A registry is stored: berth tries the credentials first, and asks before they go to another token service. */
import { useState } from "preact/hooks";
import { type NewRegistry as Payload, REGISTRIES } from "../../../client/berth/registries.ts";
import { problemOf } from "../../live/problem.ts";
import { client } from "../../live/session.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Certificates } from "../../parts/certificates.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Form, Select } from "../../parts/form.tsx";
import { shown } from "../../parts/shown.ts";
import { words } from "../../words/en_later.ts";

interface Unconfirmed {
  readonly payload: Payload;
  readonly tokenService: string;
}

export function NewRegistry({ close, made }: { readonly close: () => void; readonly made: () => void }) {
  const [unconfirmed, setUnconfirmed] = useState<Unconfirmed | null>(null);
  const text = words.registries;
  const store = async (payload: Payload) => {
    await client.post(REGISTRIES, { payload });
    made();
    close();
  };
  const send = async (fields: Readonly<Record<string, string>>) => {
    const payload = payloadOf(fields);
    try {
      await store(payload);
    } catch (error) {
      const problem = problemOf(error);
      const [first] = problem?.errors ?? [];
      if (problem?.code !== "token_service_unconfirmed" || first === undefined) throw error;
      setUnconfirmed({ payload, tokenService: first.message });
    }
  };
  if (unconfirmed !== null) {
    const { payload, tokenService } = unconfirmed;
    return (
      <Confirm
        title={text.confirm}
        question={text.confirmQuestion(shown(payload.host), shown(tokenService))}
        hints={[text.confirmHint]}
        close={close}
        act={() => store({ ...payload, tokenService })}
      />
    );
  }
  return (
    <Dialog title={text.add} onClose={close}>
      <Form
        submit={text.submit}
        aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
        send={send}
      >
        <Field label={text.host} name="host" hint={text.hostHint} autofocus />
        <Field label={text.path} name="path" hint={text.pathHint} optional />
        <Field label={text.username} name="username" optional />
        <Field label={text.password} name="password" type="password" hint={text.credentialsHint} optional />
        <Select label={text.plainHttp} name="plain" options={Object.entries(text.plainHttps)} />
        <Certificates label={text.ca} hint={text.caHint} />
      </Form>
    </Dialog>
  );
}

function payloadOf(
  { host = "", path = "", username = "", password = "", plain, ca = "" }: Readonly<Record<string, string>>,
): Payload {
  const auth = username.trim() === "" ? { identityToken: password } : { username: username.trim(), password };
  return {
    host: host.trim(),
    path: path.trim().replace(/^\/+|\/+$/g, ""),
    ...(username.trim() === "" && password === "" ? {} : { auth }),
    plainHttp: plain === "yes",
    ...(ca.trim() === "" ? {} : { ca: ca.trim() }),
  };
}
