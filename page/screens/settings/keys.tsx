/** API keys: who made them, what they may, when they end; made, rotated, taken over and deleted. */
import { useState } from "preact/hooks";
import {
  type ApiKey,
  SETTINGS_API_KEY,
  SETTINGS_API_KEY_ROTATE,
  SETTINGS_API_KEY_TAKE_OVER,
  SETTINGS_API_KEYS,
} from "../../../client/berth/settings.ts";
import { useResource } from "../../live/resource.ts";
import { client, who } from "../../live/session.ts";
import { Ago } from "../../parts/ago.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Form, Select } from "../../parts/form.tsx";
import { keyIfAllowed, Reading } from "../../parts/reading.tsx";
import { SecretDialog } from "../../parts/secret.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { words } from "../../words/en_later.ts";
import { NewKey } from "./new_key.tsx";
import { permissionsOf, rightsOf } from "./rights.ts";

type Asked =
  | { readonly kind: "make" }
  | { readonly kind: "rotate" | "takeOver" | "delete"; readonly key: ApiKey }
  | { readonly kind: "shown"; readonly name: string; readonly secret: string };

export function Keys() {
  const read = useResource(
    keyIfAllowed("keys:manage", "keys"),
    async (signal) => (await client.get(SETTINGS_API_KEYS, { signal })).json().items,
    { live: false },
  );
  const [asked, setAsked] = useState<Asked | null>(null);
  const text = words.settings.keys;
  const close = () => setAsked(null);
  const show = (name: string, secret: string) => {
    setAsked({ kind: "shown", name, secret });
    read.reload();
  };
  return (
    <Reading read={read} permission="keys:manage">
      {(keys) => (
        <>
          <header class="screen-head">
            <h1>{words.titles.keys}</h1>
            <span class="quiet" role="status">{text.count(keys.length)}</span>
            <span class="screen-end">
              <button type="button" class="button is-main" onClick={() => setAsked({ kind: "make" })}>
                {text.make}
              </button>
            </span>
          </header>
          {keys.length === 0
            ? (
              <Empty title={text.none}>
                <p class="hint">{text.noneHint}</p>
              </Empty>
            )
            : (
              <Table
                label={words.titles.keys}
                items={keys}
                keyOf={({ id }) => id}
                isDim={({ disabled }) => disabled}
                columns={columns(setAsked)}
              />
            )}
          {asked !== null && <Asking {...{ asked, close, show }} reload={read.reload} />}
        </>
      )}
    </Reading>
  );
}

function columns(ask: (asked: Asked) => void): readonly Column<ApiKey>[] {
  const text = words.settings.keys;
  return [
    {
      head: text.name,
      kind: "name",
      cell: ({ name, prefix, disabled }) => (
        <>
          <strong>{shown(name)}</strong>
          <code class="quiet">{prefix}…</code>
          {disabled && <span class="hint">{text.disabled}</span>}
        </>
      ),
    },
    {
      head: text.rights,
      cell: ({ grants, from }) => (
        <>
          <span title={permissionsOf(grants)}>{shown(rightsOf(grants))}</span>
          {from.length > 0 && <span class="hint">{text.onlyFrom(from.join(", "))}</span>}
        </>
      ),
    },
    {
      head: text.madeBy,
      cell: ({ createdBy, createdAt }) => (
        <>
          {shown(createdBy)} <span class="quiet">{words.day(Date.parse(createdAt))}</span>
        </>
      ),
    },
    {
      head: text.ends,
      cell: ({ expiresAt, previousUntil }) => (
        <>
          {expiresAt === null ? text.never : words.day(Date.parse(expiresAt))}
          {previousUntil !== null && <span class="hint">{text.previous(Date.parse(previousUntil))}</span>}
        </>
      ),
    },
    {
      head: text.used,
      cell: ({ lastUsedAt, lastUsedPeer }) =>
        lastUsedAt === null ? text.never : (
          <>
            <Ago since={Date.parse(lastUsedAt)} say={words.ago} />{" "}
            {lastUsedPeer !== null && <span class="quiet">{text.from(lastUsedPeer)}</span>}
          </>
        ),
    },
    {
      head: words.actions,
      kind: "acts",
      cell: (key) => <Acts of={key} ask={ask} />,
    },
  ];
}

function Acts({ of: key, ask }: { readonly of: ApiKey; readonly ask: (asked: Asked) => void }) {
  const text = words.settings.keys;
  return (
    <>
      <button
        type="button"
        class="link"
        aria-label={words.actOn(text.rotate, shown(key.name))}
        onClick={() => ask({ kind: "rotate", key })}
      >
        {text.rotate}
      </button>
      {key.creator?.id !== who.value?.id && (
        <button
          type="button"
          class="link"
          aria-label={words.actOn(text.takeOver, shown(key.name))}
          onClick={() => ask({ kind: "takeOver", key })}
        >
          {text.takeOver}
        </button>
      )}
      <button
        type="button"
        class="link is-danger"
        aria-label={words.actOn(text.delete, shown(key.name))}
        onClick={() => ask({ kind: "delete", key })}
      >
        {text.delete}
      </button>
    </>
  );
}

interface AskingProps {
  readonly asked: Asked;
  readonly close: () => void;
  readonly show: (name: string, secret: string) => void;
  readonly reload: () => void;
}

/** Asks before something is done to a key, and shows a new one once. */
function Asking({ asked, close, show, reload }: AskingProps) {
  const text = words.settings.keys;
  switch (asked.kind) {
    case "make":
      return <NewKey close={close} made={show} />;
    case "rotate":
      return <Rotate of={asked.key} close={close} made={show} />;
    case "takeOver":
      return (
        <Confirm
          title={text.takeOver}
          question={text.takeOverQuestion(shown(asked.key.name))}
          hints={[text.takeOverHint]}
          close={close}
          act={async () => {
            const params = { id: asked.key.id };
            await client.post(SETTINGS_API_KEY_TAKE_OVER, { params });
            reload();
          }}
        />
      );
    case "delete":
      return (
        <Confirm
          title={text.delete}
          question={text.deleteQuestion(shown(asked.key.name))}
          hints={[text.deleteHint]}
          close={close}
          act={async () => {
            await client.delete(SETTINGS_API_KEY, { params: { id: asked.key.id } });
            reload();
          }}
        />
      );
    case "shown":
      return (
        <SecretDialog
          title={text.make}
          lead={text.shown(shown(asked.name))}
          value={asked.secret}
          close={close}
        />
      );
  }
}

function Rotate(
  { of: { id, name }, close, made }: {
    readonly of: ApiKey;
    readonly close: () => void;
    readonly made: (name: string, secret: string) => void;
  },
) {
  const text = words.settings.keys;
  return (
    <Dialog title={text.rotate} onClose={close}>
      <p class="lead">{text.rotateLead(shown(name))}</p>
      <Form
        submit={text.rotate}
        aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
        send={async ({ overlap = "0" }) => {
          const payload = { overlapMinutes: Number(overlap) };
          const answer = await client.post(SETTINGS_API_KEY_ROTATE, { params: { id }, payload });
          made(name, answer.json().key);
        }}
      >
        <Select label={text.overlap} name="overlap" options={Object.entries(text.overlaps)} />
      </Form>
    </Dialog>
  );
}
