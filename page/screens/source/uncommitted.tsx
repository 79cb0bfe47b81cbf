/** Files that were changed in the folder and are in no commit yet, and the form that commits them. */
import { type Source, WORKSPACE_SOURCE_COMMIT } from "../../../client/berth/workspaces.ts";
import { client, LONG_S, may } from "../../live/session.ts";
import { Field, Form } from "../../parts/form.tsx";
import { shown } from "../../parts/shown.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.sources.uncommitted;

export function Uncommitted({ source, done }: { readonly source: Source; readonly done: () => void }) {
  const { uncommitted, workspace } = source;
  if (uncommitted.length === 0) return null;
  const rows = uncommitted.map(({ path, change }, at) => (
    <li class="row" key={path}>
      <label>
        {may("workspaces:files") && <input type="checkbox" name={`file ${at}`} defaultChecked />}{" "}
        <code>{shown(path)}</code> <span class="quiet">{TEXT.changes[change] ?? change}</span>
      </label>
    </li>
  ));
  return (
    <section aria-labelledby="source-uncommitted">
      <div class="section-head">
        <h2 id="source-uncommitted">{TEXT.title}</h2>
      </div>
      <p class="hint">{TEXT.lead}</p>
      {may("workspaces:files")
        ? (
          <Form
            submit={TEXT.commit}
            isReady={(fields) => uncommitted.some((_, at) => `file ${at}` in fields)}
            send={async ({ message = "", branch = "", secrets, ...fields }) => {
              const paths = uncommitted.filter((_, at) => `file ${at}` in fields).map(({ path }) => path);
              const payload = {
                paths,
                message,
                ...(branch.trim() === "" ? {} : { branch: branch.trim() }),
                ...(secrets === undefined ? {} : { withSecrets: true }),
              };
              await client.post(WORKSPACE_SOURCE_COMMIT, {
                params: { id: workspace },
                payload,
                timeoutS: LONG_S,
              });
              done();
            }}
          >
            <ul class="rows">{rows}</ul>
            <Field label={TEXT.message} name="message" />
            <Field label={TEXT.branch} name="branch" hint={TEXT.branchHint(shown(source.branch))} optional />
            {may("artifacts:reveal") && (
              <label class="check">
                <input type="checkbox" name="secrets" /> {TEXT.withSecrets}
              </label>
            )}
          </Form>
        )
        : <ul class="rows">{rows}</ul>}
    </section>
  );
}
