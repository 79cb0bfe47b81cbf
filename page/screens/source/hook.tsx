/** The address that a forge calls after a push, and the secret that is shown once. */
import { useState } from "preact/hooks";
import { type Source, WORKSPACE_SOURCE_HOOK } from "../../../client/berth/workspaces.ts";
import { client, may } from "../../live/session.ts";
import { Act } from "../../parts/act.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Copied } from "../../parts/copied.tsx";
import { SecretDialog } from "../../parts/secret.tsx";
import { words } from "../../words/en_later.ts";

const TEXT = words.sources.hook;

export function Hook({ source: { workspace, hook } }: { readonly source: Source }) {
  const [secret, setSecret] = useState<string | null>(null);
  const [isMaking, setMaking] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  if (!may("workspaces:manage")) return null;
  const params = { id: workspace };
  return (
    <section aria-labelledby="source-hook">
      <div class="section-head">
        <h2 id="source-hook">{TEXT.title}</h2>
        <span class="screen-end">
          <Act permission="workspaces:manage" act={() => setMaking(true)}>
            {hook === null ? TEXT.make : TEXT.replace}
          </Act>
          {hook !== null && (
            <Act permission="workspaces:manage" act={() => setRemoving(true)}>{TEXT.remove}</Act>
          )}
        </span>
      </div>
      <p class="hint">{TEXT.lead}</p>
      {hook !== null && (
        <p>
          <Copied text={`${location.origin}${hook}`} />
        </p>
      )}
      {isMaking && (
        <Confirm
          title={hook === null ? TEXT.make : TEXT.replace}
          question={hook === null ? TEXT.makeQuestion : TEXT.replaceQuestion}
          close={() => setMaking(false)}
          act={async () => setSecret((await client.post(WORKSPACE_SOURCE_HOOK, { params })).json().secret)}
        />
      )}
      {isRemoving && (
        <Confirm
          title={TEXT.remove}
          question={TEXT.removeQuestion}
          close={() => setRemoving(false)}
          act={() => client.delete(WORKSPACE_SOURCE_HOOK, { params })}
        />
      )}
      {secret !== null && (
        <SecretDialog
          title={TEXT.title}
          lead={TEXT.secretLead}
          hint={TEXT.secretHint}
          value={secret}
          close={() => setSecret(null)}
        />
      )}
    </section>
  );
}
