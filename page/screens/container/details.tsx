/** The configuration of a container: mounts, networks, environment, and the engine's whole answer. */
import { useState } from "preact/hooks";
import { CONTAINER, type ContainerDetail } from "../../../client/berth/containers.ts";
import { useResource } from "../../live/resource.ts";
import { client } from "../../live/session.ts";
import { ShowValues } from "../../parts/show_values.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty, Loading, Trouble } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Tree } from "../../parts/tree.tsx";
import { words } from "../../words/en_later.ts";

interface Detail {
  readonly container: ContainerDetail;
}

export function Mounts({ container: { mounts } }: Detail) {
  if (mounts.length === 0) return <Empty title={words.container.noMounts} />;
  return (
    <Table
      label={words.container.mounts}
      items={mounts}
      keyOf={({ target }) => target}
      columns={MOUNT_COLUMNS}
    />
  );
}

const MOUNT_COLUMNS: readonly Column<Detail["container"]["mounts"][number]>[] = [
  { head: words.container.target, kind: "name", cell: ({ target }) => <code>{shown(target)}</code> },
  {
    head: words.container.source,
    cell: ({ type, name, source }) =>
      type === "volume" && name
        ? (
          <a href={`/volumes?${new URLSearchParams({ q: name })}`}>
            <code>{shown(name)}</code>
          </a>
        )
        : <code>{shown(name ?? source)}</code>,
  },
  { head: words.container.kind, kind: "short", cell: ({ type }) => shown(type) },
  {
    head: words.container.access,
    kind: "short",
    cell: ({ readOnly }) => readOnly ? words.container.readOnly : words.container.readWrite,
  },
];

export function Networks({ container: { attachments, networkMode } }: Detail) {
  if (attachments.length === 0) {
    return (
      <Empty title={words.container.noNetworks}>
        <code>{shown(networkMode)}</code>
      </Empty>
    );
  }
  return (
    <Table
      label={words.container.networks}
      items={attachments}
      keyOf={({ network }) => network}
      columns={NETWORK_COLUMNS}
    />
  );
}

const NETWORK_COLUMNS: readonly Column<Detail["container"]["attachments"][number]>[] = [
  {
    head: words.container.network,
    kind: "name",
    cell: ({ network }) => <a href={`/networks?${new URLSearchParams({ q: network })}`}>{shown(network)}</a>,
  },
  { head: words.container.address, cell: ({ address }) => <code>{shown(address ?? "")}</code> },
  { head: words.container.gateway, cell: ({ gateway }) => <code>{shown(gateway ?? "")}</code> },
  { head: words.container.aliases, cell: ({ aliases }) => shown(aliases.join(", ")) },
];

/** Values in clear are held by this view alone, and are gone with it. */
export function Environment({ container: { backend, id, env, masked } }: Detail) {
  const [revealed, setRevealed] = useState<ContainerDetail["env"] | null>(null);
  const names = Object.keys(env).sort();
  if (names.length === 0) return <Empty title={words.container.noEnvironment} />;
  const reveal = async () => {
    const query = { backend, reveal: true };
    const detail = (await client.get(CONTAINER, { params: { id }, query })).json();
    setRevealed((detail as ContainerDetail).env); // without `raw` it always is
  };
  return (
    <>
      {masked && (
        <div class="reveal">
          <p class="quiet">{words.container.masked}</p>
          <ShowValues
            permission="containers:reveal"
            isShown={revealed !== null}
            show={reveal}
            mask={() => setRevealed(null)}
          />
        </div>
      )}
      <Table
        label={words.container.environment}
        items={names}
        keyOf={(name) => name}
        columns={[
          { head: words.container.variable, kind: "name", cell: (name) => <code>{shown(name)}</code> },
          {
            head: words.container.value,
            cell: (name) => <code>{shown((revealed ?? env)[name] ?? "")}</code>,
          },
        ]}
      />
    </>
  );
}

export function Inspect({ backend, id }: { readonly backend: string; readonly id: string }) {
  const read = useResource(
    `inspect ${backend} ${id}`,
    async (signal) =>
      (await client.get(CONTAINER, { params: { id }, query: { backend, raw: true }, signal })).json(),
    { live: false },
  );
  const value = read.value.value;
  const problem = read.problem.value;
  if (value === undefined) {
    return problem === null ? <Loading /> : <Trouble problem={problem} again={read.reload} />;
  }
  return <Tree value={value} label={words.container.inspect} />;
}
