/** The repository that a folder follows: what its commits would change, and where it is. */
import { useState } from "preact/hooks";

import {
  type Source as SourceModel,
  WORKSPACE_SOURCE,
  WORKSPACE_SOURCE_CHECK,
} from "../../../client/berth/workspaces.ts";
import { type Problem, problemOf } from "../../live/problem.ts";
import { planHref } from "../../live/projects.ts";
import { client, LONG_S, may } from "../../live/session.ts";
import { Act } from "../../parts/act.tsx";
import { Ago } from "../../parts/ago.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { shown } from "../../parts/shown.ts";
import { behindIn, SourceMark, useSource, useSourceRow } from "../../parts/source_strip.tsx";
import { Loading, Trouble } from "../../parts/states.tsx";
import { words } from "../../words/en_later.ts";
import { Commits } from "./commits.tsx";
import { Hook } from "./hook.tsx";
import { Keys } from "./keys.tsx";
import { Signers } from "./signers.tsx";
import { SourceForm } from "./source_form.tsx";
import { Uncommitted } from "./uncommitted.tsx";
import { SyncDialog } from "./sync_dialog.tsx";

const TEXT = words.sources;

export function Source({ id }: { readonly id: string }) {
  const row = useSourceRow(id);
  const read = useSource(id, row);
  const source = read.value.value;
  const problem = read.problem.value;
  return (
    <>
      <header class="screen-head">
        <h1>{TEXT.title}</h1>
        <a href={`/w/${encodeURIComponent(id)}`}>{shown(id)}</a>
        {source !== undefined && row !== null && <Acts source={source} />}
      </header>
      {problem !== null && <Trouble problem={problem} again={read.reload} />}
      {row === undefined && <Loading />}
      {row === null && (
        <>
          <p class="lead">{may("workspaces:manage") ? TEXT.lead : TEXT.none}</p>
          {may("workspaces:manage") && <SourceForm id={id} source={null} done={() => {}} />}
        </>
      )}
      {row && source === undefined && problem === null && <Loading />}
      {row && source !== undefined && <Shown source={source} reload={read.reload} />}
    </>
  );
}

function Acts({ source }: { readonly source: SourceModel }) {
  const { workspace, head, synced } = source;
  /** The commit that was the newest when it was chosen. */
  const [syncing, setSyncing] = useState<string | null>(null);
  const [isRemoving, setRemoving] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const check = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await client.post(WORKSPACE_SOURCE_CHECK, { params: { id: workspace }, timeoutS: LONG_S });
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <span class="screen-end">
      {problem !== null && <span class="quiet" role="status">{shown(problem.title)}</span>}
      <Act permission="projects:plan" disabled={isBusy} act={() => void check()}>{TEXT.check}</Act>
      {head !== null && (head !== synced || source.state === "syncing") && (
        <Act
          permission="projects:apply"
          kind="is-main"
          act={() => setSyncing(head)}
        >
          {TEXT.sync}
        </Act>
      )}
      {syncing !== null && (
        <SyncDialog
          source={source}
          commit={syncing}
          close={() => setSyncing(null)}
        />
      )}
      <Act permission="workspaces:manage" act={() => setRemoving(true)}>{TEXT.remove}</Act>
      {isRemoving && (
        <Confirm
          title={TEXT.remove}
          question={TEXT.removeQuestion(shown(workspace))}
          close={() => setRemoving(false)}
          act={() => client.delete(WORKSPACE_SOURCE, { params: { id: workspace } })}
        />
      )}
    </span>
  );
}

function Shown({ source, reload }: { readonly source: SourceModel; readonly reload: () => void }) {
  const [isChanging, setChanging] = useState(false);
  const { url, branch, folder, state, error, checkedAt, synced, rewritten, pending, workspace, waiting } =
    source;
  return (
    <>
      <p class="lead">
        <SourceMark state={state} /> {behindIn(source) ?? ""}
      </p>
      {error !== null && <p class="hint">{shown(error)}</p>}
      {waiting !== null && <p class="hint">{TEXT.waiting(shown(waiting))}</p>}
      {rewritten && <p class="hint">{TEXT.rewritten}</p>}
      <p class="quiet">
        <code>{shown(url)}</code> · {TEXT.of(shown(branch))} · {TEXT.policies[source.policy]}
        {folder !== "" && (
          <>
            · <code>{shown(folder)}</code>
          </>
        )} · {synced === null ? TEXT.first : <code title={synced}>{synced.slice(0, 8)}</code>} ·{" "}
        {checkedAt === null ? TEXT.notChecked : <Ago since={Date.parse(checkedAt)} say={TEXT.checkedAgo} />}
        {" "}
        {may("workspaces:manage") && (
          <button
            type="button"
            class="link"
            aria-expanded={isChanging}
            onClick={() => setChanging(!isChanging)}
          >
            {TEXT.change}
          </button>
        )}
      </p>
      {isChanging && <SourceForm id={workspace} source={source} done={() => setChanging(false)} />}
      {pending !== null && <Pending workspace={workspace} pending={pending} />}
      <Uncommitted source={source} done={reload} />
      <Keys source={source} />
      <Signers source={source} />
      <Hook source={source} />
      <Commits id="source-history" title={TEXT.history} commits={source.history} source={source} />
    </>
  );
}

function Pending(
  { workspace, pending: { commits, groups, conflicts, skipped, files, isPart } }: {
    readonly workspace: string;
    readonly pending: NonNullable<SourceModel["pending"]>;
  },
) {
  return (
    <>
      <section aria-labelledby="source-groups">
        <div class="section-head">
          <h2 id="source-groups">{TEXT.groups}</h2>
          {!isPart && <span class="quiet">{TEXT.files(files)}</span>}
        </div>
        {groups.length === 0 && <p class="hint">{TEXT.noGroups}</p>}
        <ul class="rows">
          {groups.map(({ name, change, file, line, files }) => (
            <li class="row" key={name}>
              <span>
                <strong>{shown(name)}</strong> <span>{TEXT.changes[change] ?? change}</span>{" "}
                <span class="quiet">
                  {file !== null && line !== null
                    ? TEXT.line(shown(file), line)
                    : files.slice(0, 3).map(shown).join(", ")}
                </span>{" "}
                {change !== "removed" && (
                  <a href={`${planHref(`${name}@${workspace}`)}?commit=head`}>{TEXT.plan}</a>
                )}
              </span>
            </li>
          ))}
        </ul>
      </section>
      <Paths id="source-conflicts" title={TEXT.conflicts} paths={conflicts} />
      <Paths id="source-skipped" title={TEXT.skipped} paths={skipped} />
      <Commits id="source-commits" title={TEXT.commits} commits={commits} />
    </>
  );
}

function Paths(
  { id, title, paths }: {
    readonly id: string;
    readonly title: string;
    readonly paths: readonly { readonly path: string; readonly why: string }[];
  },
) {
  if (paths.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
      </div>
      <ul class="rows">
        {paths.map(({ path, why }) => (
          <li class="row" key={path}>
            <span>
              <code>{shown(path)}</code> <span class="quiet">{shown(why)}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
