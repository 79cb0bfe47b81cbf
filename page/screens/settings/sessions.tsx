/** The sessions of the caller, or of a person that the caller manages, with a button to end them. */
import { useState } from "preact/hooks";
import { AUTH_PASSWORD, AUTH_SESSION, AUTH_SESSIONS, type Session } from "../../../client/berth/auth.ts";
import { SETTINGS_PEOPLE } from "../../../client/berth/settings.ts";
import { useResource } from "../../live/resource.ts";
import { client, who } from "../../live/session.ts";
import { Ago } from "../../parts/ago.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Form } from "../../parts/form.tsx";
import { Reading } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { deviceOf } from "./device.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { query } from "../../router.ts";
import { words } from "../../words/en_later.ts";

type Asked = Session | "others" | "password";

export function Sessions() {
  const person = query.value.get("person");
  const read = useResource(
    `sessions ${person}`,
    async (signal) => {
      const [name, { items }] = await Promise.all([
        person === null ? null : nameOf(person, signal),
        client.get(AUTH_SESSIONS, { query: { person }, signal }).then((answer) => answer.json()),
      ]);
      return { name, sessions: items };
    },
    { live: false },
  );
  const [asked, setAsked] = useState<Asked | null>(null);
  const [said, setSaid] = useState("");
  const text = words.settings.sessions;
  const close = () => setAsked(null);
  const done = (sentence: string) => {
    setSaid(sentence);
    read.reload();
  };
  return (
    <Reading read={read}>
      {({ name, sessions }) => (
        <>
          <header class="screen-head">
            <h1>{name === null ? words.titles.sessions : text.titleOf(shown(name))}</h1>
            <span class="quiet" role="status">{said || text.count(sessions.length)}</span>
            <span class="screen-end">
              {name !== null && <a class="button" href="/settings/people">{text.toPeople}</a>}
              {name === null && who.value?.kind === "user" && (
                <button
                  type="button"
                  class="button"
                  onClick={() => setAsked("password")}
                >
                  {text.password}
                </button>
              )}
              <button
                type="button"
                class="button"
                disabled={!sessions.some(({ current }) => !current)}
                onClick={() => setAsked("others")}
              >
                {name === null ? text.endOthers : text.endAll}
              </button>
            </span>
          </header>
          <Table
            label={words.titles.sessions}
            items={sessions}
            keyOf={({ id }) => id}
            columns={columns(setAsked)}
          />
          {asked !== null && <Asking {...{ asked, name, person, close, done }} />}
        </>
      )}
    </Reading>
  );
}

interface AskingProps {
  readonly asked: Asked;
  /** Null for the caller's own. */
  readonly name: string | null;
  readonly person: string | null;
  readonly close: () => void;
  readonly done: (sentence: string) => void;
}

/** Asks before something ends. */
function Asking({ asked, name, person, close, done }: AskingProps) {
  const text = words.settings.sessions;
  if (asked === "password") return <NewPassword close={close} done={() => done(text.passwordChanged)} />;
  const hints = [text.endHint];
  if (asked === "others") {
    return (
      <Confirm
        title={name === null ? text.endOthers : text.endAll}
        question={name === null ? text.endOthersQuestion : text.endAllOf(shown(name))}
        hints={hints}
        close={close}
        act={async () => {
          done(text.ended((await client.delete(AUTH_SESSIONS, { query: { person } })).json().ended));
        }}
      />
    );
  }
  return (
    <Confirm
      title={text.end}
      question={text.endQuestion(deviceOf(asked.device))}
      hints={hints}
      close={close}
      act={async () => {
        await client.delete(AUTH_SESSION, { params: { id: asked.id } });
        done(text.ended(1));
      }}
    />
  );
}

/** Returns the name of a person; the id if the caller may not see people. */
async function nameOf(id: string, signal: AbortSignal): Promise<string> {
  const { items } = (await client.get(SETTINGS_PEOPLE, { signal })).json();
  return items.find((person) => person.id === id)?.name ?? id;
}

function columns(ask: (session: Session) => void): readonly Column<Session>[] {
  const text = words.settings.sessions;
  return [
    {
      head: text.device,
      kind: "name",
      cell: ({ device, current }) => (
        <>
          <strong title={shown(device ?? "")}>{deviceOf(device)}</strong>
          {current && <span class="quiet">{text.current}</span>}
        </>
      ),
    },
    { head: text.peer, kind: "short", cell: ({ peer }) => peer },
    { head: text.opened, kind: "short", cell: ({ createdAt }) => words.moment(Date.parse(createdAt)) },
    {
      head: text.used,
      kind: "short",
      cell: ({ lastUsedAt }) => <Ago since={Date.parse(lastUsedAt)} say={words.ago} />,
    },
    { head: text.ends, kind: "short", cell: ({ expiresAt }) => words.moment(Date.parse(expiresAt)) },
    {
      head: words.actions,
      kind: "acts",
      cell: (session) =>
        !session.current && (
          <button
            type="button"
            class="link is-danger"
            aria-label={words.actOn(text.end, deviceOf(session.device))}
            onClick={() => ask(session)}
          >
            {text.end}
          </button>
        ),
    },
  ];
}

function NewPassword({ close, done }: { readonly close: () => void; readonly done: () => void }) {
  const text = words.settings.sessions;
  return (
    <Dialog title={text.password} onClose={close}>
      <Form
        submit={text.savePassword}
        aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
        send={async ({ password = "", newPassword = "" }) => {
          await client.put(AUTH_PASSWORD, { payload: { password, newPassword }, expectedStatus: 204 });
          close();
          done();
        }}
      >
        <Field
          label={text.oldPassword}
          name="password"
          type="password"
          autocomplete="current-password"
          autofocus
        />
        <Field
          label={text.newPassword}
          name="newPassword"
          type="password"
          autocomplete="new-password"
          hint={text.newPasswordHint}
        />
      </Form>
    </Dialog>
  );
}
