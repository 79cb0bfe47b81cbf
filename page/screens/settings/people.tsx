/** Everybody who may come in: added, given another role, disabled, deleted. */
import { useState } from "preact/hooks";
import {
  type Grant,
  type Person,
  SETTINGS_PEOPLE,
  SETTINGS_PERSON,
  SETTINGS_PERSON_PASSWORD_LINK,
} from "../../../client/berth/settings.ts";
import { useResource } from "../../live/resource.ts";
import { client, who } from "../../live/session.ts";
import { Ago } from "../../parts/ago.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Form } from "../../parts/form.tsx";
import { keyIfAllowed, Reading } from "../../parts/reading.tsx";
import { SecretDialog } from "../../parts/secret.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { words } from "../../words/en_later.ts";
import { draftsOf, type GrantDraft, Grants, grantsOf, isWhole } from "./grants.tsx";
import { permissionsOf, rightsOf } from "./rights.ts";

type Question = "change" | "newLink" | "disable" | "enable" | "delete";

type Asked =
  | { readonly kind: "add" }
  | { readonly kind: Question; readonly person: Person }
  | { readonly kind: "shown"; readonly name: string; readonly token: string; readonly until: string };

export function People() {
  const read = useResource(
    keyIfAllowed("people:manage", "people"),
    async (signal) => (await client.get(SETTINGS_PEOPLE, { signal })).json().items,
    { live: false },
  );
  const [asked, setAsked] = useState<Asked | null>(null);
  const text = words.settings.people;
  const close = () => setAsked(null);
  const show = (name: string, token: string, until: string) => {
    setAsked({ kind: "shown", name, token, until });
    read.reload();
  };
  return (
    <Reading read={read} permission="people:manage">
      {(people) => (
        <>
          <header class="screen-head">
            <h1>{words.titles.people}</h1>
            <span class="quiet" role="status">{text.count(people.length)}</span>
            <span class="screen-end">
              <button type="button" class="button is-main" onClick={() => setAsked({ kind: "add" })}>
                {text.add}
              </button>
            </span>
          </header>
          {people.length === 0 ? <Empty title={text.none} /> : (
            <Table
              label={words.titles.people}
              items={people}
              keyOf={({ id }) => id}
              isDim={({ disabled }) => disabled}
              columns={columns((kind, person) => setAsked({ kind, person }))}
            />
          )}
          {asked?.kind === "add" && <Add close={close} show={show} />}
          {asked?.kind === "shown" && (
            <SecretDialog
              title={text.add}
              lead={text.linkShown(shown(asked.name))}
              hint={text.linkEnds(words.moment(Date.parse(asked.until)))}
              value={`${location.origin}/#password=${encodeURIComponent(asked.token)}`}
              close={close}
            />
          )}
          {asked !== null && "person" in asked && (
            <Ask kind={asked.kind} person={asked.person} close={close} show={show} reload={read.reload} />
          )}
        </>
      )}
    </Reading>
  );
}

type Show = (name: string, token: string, until: string) => void;

function Add({ close, show }: { readonly close: () => void; readonly show: Show }) {
  const text = words.settings.people;
  const [drafts, setDrafts] = useState<readonly GrantDraft[]>([
    { role: "viewer", permissions: new Set(), on: null },
  ]);
  return (
    <Dialog title={text.add} onClose={close}>
      <Form
        submit={text.submit}
        isReady={isWhole(drafts)}
        aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
        send={async ({ name = "" }) => {
          const payload = { name: name.trim(), grants: grantsOf(drafts) };
          const made = (await client.post(SETTINGS_PEOPLE, { payload })).json();
          show(made.name, made.passwordToken, made.passwordTokenExpiresAt);
        }}
      >
        <Field label={text.newName} name="name" hint={text.newNameHint} autofocus />
        <Grants label={text.newRole} drafts={drafts} change={setDrafts} />
      </Form>
    </Dialog>
  );
}

function Ask(
  { kind, person, close, show, reload }: {
    readonly kind: Question;
    readonly person: Person;
    readonly close: () => void;
    readonly show: Show;
    readonly reload: () => void;
  },
) {
  const text = words.settings.people;
  const name = shown(person.name);
  const params = { id: person.id };
  const change = async (payload: { grants: Grant[] } | { disabled: boolean }) => {
    await client.put(SETTINGS_PERSON, { params, payload });
    reload();
  };
  switch (kind) {
    case "change":
      return <Change person={person} close={close} save={(grants) => change({ grants })} />;
    case "newLink":
      return (
        <Dialog title={text.newLink} onClose={close}>
          <p class="lead">{text.newLinkQuestion(name)}</p>
          <Form
            submit={text.newLink}
            aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
            send={async () => {
              const made = (await client.post(SETTINGS_PERSON_PASSWORD_LINK, { params }))
                .json();
              show(person.name, made.passwordToken, made.passwordTokenExpiresAt);
            }}
          >
            {null}
          </Form>
        </Dialog>
      );
    case "delete":
      return (
        <Confirm
          title={text.delete}
          question={text.deleteQuestion(name)}
          hints={[text.deleteHint]}
          close={close}
          act={async () => {
            await client.delete(SETTINGS_PERSON, { params });
            reload();
          }}
        />
      );
    case "disable":
    case "enable":
      return (
        <Confirm
          title={text[kind]}
          question={kind === "disable" ? text.disableQuestion(name) : text.enableQuestion(name)}
          hints={kind === "disable" ? [text.disableHint] : []}
          close={close}
          act={() => change({ disabled: kind === "disable" })}
        />
      );
  }
}

function Change(
  { person, close, save }: {
    readonly person: Person;
    readonly close: () => void;
    readonly save: (grants: Grant[]) => Promise<void>;
  },
) {
  const text = words.settings.people;
  const [drafts, setDrafts] = useState(draftsOf(person.grants));
  return (
    <Dialog title={`${text.change} ${shown(person.name)}`} onClose={close}>
      <Form
        submit={text.save}
        isReady={isWhole(drafts)}
        aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
        send={async () => {
          await save(grantsOf(drafts));
          close();
        }}
      >
        <Grants label={text.newRole} drafts={drafts} change={setDrafts} />
      </Form>
    </Dialog>
  );
}

function columns(ask: (kind: Question, person: Person) => void): readonly Column<Person>[] {
  const text = words.settings.people;
  return [
    {
      head: text.name,
      kind: "name",
      cell: ({ id, name, email, disabled }) => (
        <>
          <strong>{shown(name)}</strong>
          {email !== null && <span class="quiet">{shown(email)}</span>}
          {id === who.value?.id && <span class="quiet">{text.you}</span>}
          {disabled && <span class="quiet">{text.disabled}</span>}
        </>
      ),
    },
    {
      head: text.role,
      cell: ({ grants }) => <span title={permissionsOf(grants)}>{shown(rightsOf(grants))}</span>,
    },
    {
      head: text.signIn,
      cell: ({ signIn, hasPassword }) =>
        signIn === "password" && !hasPassword ? text.noPassword : text.ways[signIn],
    },
    {
      head: text.seen,
      cell: ({ lastSeenAt }) =>
        lastSeenAt === null ? text.never : <Ago since={Date.parse(lastSeenAt)} say={words.ago} />,
    },
    {
      head: text.sessions,
      kind: "end",
      cell: ({ id, sessions }) =>
        sessions === 0
          ? words.number(0)
          : <a href={`/settings/sessions?person=${encodeURIComponent(id)}`}>{words.number(sessions)}</a>,
    },
    {
      head: words.actions,
      kind: "acts",
      cell: (person) =>
        questionsFor(person).map((kind) => (
          <button
            key={kind}
            type="button"
            class={`link ${kind === "delete" ? "is-danger" : ""}`}
            aria-label={words.actOn(text[kind], shown(person.name))}
            onClick={() => ask(kind, person)}
          >
            {text[kind]}
          </button>
        )),
    },
  ];
}

/** A provider's people hold what its rules say, and have no password here. */
function questionsFor({ signIn, disabled }: Person): readonly Question[] {
  const own: readonly Question[] = signIn === "password" ? ["change", "newLink"] : [];
  return [...own, disabled ? "enable" : "disable", "delete"];
}
