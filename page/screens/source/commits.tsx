/** Commits of a branch, each with its author; those of the history can be written into the folder. */
import { useState } from "preact/hooks";
import type { Source } from "../../../client/berth/workspaces.ts";
import { Act } from "../../parts/act.tsx";
import { shown } from "../../parts/shown.ts";
import { words } from "../../words/en_later.ts";
import { SyncDialog } from "./sync_dialog.tsx";

const TEXT = words.sources;

export function Commits(
  { id, title, commits, source }: {
    readonly id: string;
    readonly title: string;
    readonly commits: Source["history"];
    /** Offers to go to each commit but the one that is in the folder. */
    readonly source?: Source;
  },
) {
  const [chosen, setChosen] = useState<string | null>(null);
  if (commits.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
      </div>
      <ul class="rows">
        {commits.map(({ id, author, at, subject }) => (
          <li class="row" key={id}>
            <span>
              <code title={id}>{id.slice(0, 8)}</code> <span>{shown(subject)}</span>{" "}
              <span class="quiet">{shown(author)} · {words.moment(Date.parse(at))}</span>{" "}
              {source !== undefined && (id === source.synced
                ? <span class="quiet">{TEXT.current}</span>
                : <Act permission="projects:apply" act={() => setChosen(id)}>{TEXT.back}</Act>)}
            </span>
          </li>
        ))}
      </ul>
      {chosen !== null && source !== undefined && (
        <SyncDialog
          source={source}
          commit={chosen}
          close={() => setChosen(null)}
        />
      )}
    </section>
  );
}
