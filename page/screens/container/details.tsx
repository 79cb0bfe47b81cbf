/** The configuration of a container: mounts, networks, environment, and the engine's whole answer. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { CONTAINER, type ContainerDetail } from "../../../client/berth/containers.ts";
import { useResource } from "../../live/resource.ts";
import { client } from "../../live/session.ts";
import { ShowValues } from "../../parts/show_values.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty, Loading, Trouble } from "../../parts/states.tsx";
import { Tree } from "../../parts/tree.tsx";
import { words } from "../../words/en_later.ts";

interface Detail {
  readonly container: ContainerDetail;
}

function Table(
  { heads, children }: { readonly heads: readonly string[]; readonly children: ComponentChildren },
) {
  return (
    <div
      class={heads.length > 2 ? "table-box" : "table-box is-narrow"}
      tabIndex={0}
      role="group"
      aria-label={heads.join(", ")}
    >
      <table>
        <thead>
          <tr>{heads.map((head) => <th key={head} scope="col">{head}</th>)}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export function Mounts({ container: { mounts } }: Detail) {
  if (mounts.length === 0) return <Empty title={words.container.noMounts} />;
  const { target, source, kind, access, readOnly, readWrite } = words.container;
  return (
    <Table heads={[target, source, kind, access]}>
      {mounts.map((one) => (
        <tr key={one.target}>
          <td>
            <code>{shown(one.target)}</code>
          </td>
          <td>
            {one.type === "volume" && one.name
              ? (
                <a href={`/volumes?${new URLSearchParams({ q: one.name })}`}>
                  <code>{shown(one.name)}</code>
                </a>
              )
              : <code>{shown(one.name ?? one.source)}</code>}
          </td>
          <td>{shown(one.type)}</td>
          <td>{one.readOnly ? readOnly : readWrite}</td>
        </tr>
      ))}
    </Table>
  );
}

export function Networks({ container: { attachments, networkMode } }: Detail) {
  if (attachments.length === 0) {
    return (
      <Empty title={words.container.noNetworks}>
        <code>{shown(networkMode)}</code>
      </Empty>
    );
  }
  const { network, address, gateway, aliases } = words.container;
  return (
    <Table heads={[network, address, gateway, aliases]}>
      {attachments.map((one) => (
        <tr key={one.network}>
          <td>
            <a href={`/networks?${new URLSearchParams({ q: one.network })}`}>{shown(one.network)}</a>
          </td>
          <td>
            <code>{shown(one.address ?? "")}</code>
          </td>
          <td>
            <code>{shown(one.gateway ?? "")}</code>
          </td>
          <td>{shown(one.aliases.join(", "))}</td>
        </tr>
      ))}
    </Table>
  );
}

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
      <Table heads={[words.container.variable, words.container.value]}>
        {names.map((name) => (
          <tr key={name}>
            <td>
              <code>{shown(name)}</code>
            </td>
            <td>
              <code>{shown((revealed ?? env)[name] ?? "")}</code>
            </td>
          </tr>
        ))}
      </Table>
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
