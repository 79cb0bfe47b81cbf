/** The deploy key for the forge, and the keys that a server behind ssh must show. */
import { useState } from "preact/hooks";
import { type Source, WORKSPACE_SOURCE } from "../../../client/berth/workspaces.ts";
import { client } from "../../live/session.ts";
import { Act } from "../../parts/act.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Copied } from "../../parts/copied.tsx";
import { shown } from "../../parts/shown.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.sources.keys;

export function Keys({ source }: { readonly source: Source }) {
  const [isTaking, setTaking] = useState(false);
  const { ssh, workspace, url, branch, folder, policy } = source;
  if (ssh === null) return null;
  const take = () =>
    client.put(WORKSPACE_SOURCE, {
      params: { id: workspace },
      payload: { url, branch, folder, policy, hostKeys: null },
    });
  return (
    <section aria-labelledby="source-keys">
      <div class="section-head">
        <h2 id="source-keys">{TEXT.title}</h2>
        <Act permission="workspaces:manage" act={() => setTaking(true)}>{TEXT.take}</Act>
      </div>
      <p class="hint">{TEXT.lead}</p>
      <p>
        <Copied text={ssh.publicKey} />
      </p>
      <p class="hint">{TEXT.host}</p>
      <ul class="rows">
        {ssh.hostKeys.map(({ key, fingerprint }) => (
          <li class="row" key={key}>
            <span>
              <code>{shown(fingerprint)}</code> <span class="quiet">{shown(key.split(" ")[0] ?? "")}</span>
            </span>
          </li>
        ))}
      </ul>
      {isTaking && (
        <Confirm
          title={TEXT.take}
          question={TEXT.takeQuestion}
          close={() => setTaking(false)}
          act={take}
        />
      )}
    </section>
  );
}
