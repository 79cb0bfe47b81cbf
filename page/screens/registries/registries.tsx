/** Image registries: stored once they accept the credentials, and forgotten. */
import { useState } from "preact/hooks";
import { REGISTRIES, REGISTRY, type Registry } from "../../../client/berth/registries.ts";
import { useResource } from "../../live/resource.ts";
import { client } from "../../live/session.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { keyIfAllowed, Reading } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { words } from "../../words/en_later.ts";
import { NewRegistry } from "./new_registry.tsx";

type Asked = { readonly kind: "add" } | { readonly kind: "delete"; readonly registry: Registry };

export function Registries() {
  const read = useResource(
    keyIfAllowed("registries:manage", "registries"),
    async (signal) => (await client.get(REGISTRIES, { signal })).json().items,
    { live: false },
  );
  const [asked, setAsked] = useState<Asked | null>(null);
  const text = words.registries;
  const close = () => setAsked(null);
  return (
    <Reading read={read} permission="registries:manage">
      {(registries) => (
        <>
          <header class="screen-head">
            <h1>{words.titles.registries}</h1>
            <span class="quiet" role="status">{text.count(registries.length)}</span>
            <span class="screen-end">
              <button type="button" class="button is-main" onClick={() => setAsked({ kind: "add" })}>
                {text.add}
              </button>
            </span>
          </header>
          {registries.length === 0
            ? (
              <Empty title={text.none}>
                <p class="hint">{text.noneHint}</p>
              </Empty>
            )
            : (
              <Table
                label={words.titles.registries}
                items={registries}
                keyOf={({ id }) => id}
                columns={columns(setAsked)}
              />
            )}
          {asked?.kind === "add" && <NewRegistry close={close} made={read.reload} />}
          {asked?.kind === "delete" && (
            <Confirm
              title={text.delete}
              question={text.deleteQuestion(shown(nameOf(asked.registry)))}
              hints={[text.deleteHint]}
              close={close}
              act={async () => {
                await client.delete(REGISTRY, { params: { id: asked.registry.id } });
                read.reload();
              }}
            />
          )}
        </>
      )}
    </Reading>
  );
}

const nameOf = ({ host, path }: Registry): string => path === "" ? host : `${host}/${path}`;

function columns(ask: (asked: Asked) => void): readonly Column<Registry>[] {
  const text = words.registries;
  return [
    { head: text.name, kind: "name", cell: (registry) => <strong>{shown(nameOf(registry))}</strong> },
    {
      head: text.login,
      cell: ({ login, username }) => (
        <>
          {text.logins[login]} {username !== null && <span class="quiet">{shown(text.as(username))}</span>}
        </>
      ),
    },
    {
      head: text.way,
      cell: ({ plainHttp, hasCa, tokenService }) => (
        <>
          {plainHttp ? text.plain : text.tls} {hasCa && <span class="quiet">{text.ownCa}</span>}
          {tokenService !== null && <span class="hint">{shown(text.tokens(tokenService))}</span>}
        </>
      ),
    },
    {
      head: text.by,
      cell: ({ createdBy, createdAt }) => (
        <>
          {shown(createdBy)} <span class="quiet">{words.day(Date.parse(createdAt))}</span>
        </>
      ),
    },
    {
      head: words.actions,
      kind: "acts",
      cell: (registry) => (
        <button
          type="button"
          class="link is-danger"
          aria-label={words.actOn(text.delete, shown(nameOf(registry)))}
          onClick={() => ask({ kind: "delete", registry })}
        >
          {text.delete}
        </button>
      ),
    },
  ];
}
