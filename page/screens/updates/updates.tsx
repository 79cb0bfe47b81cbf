/** Newer images: what registries have instead of what runs, and the one switch for looking. */
import { useState } from "preact/hooks";
import {
  type UpdateCandidate,
  type UpdateItem,
  UPDATES,
  UPDATES_CHECK,
} from "../../../client/berth/updates.ts";
import { serviceTime } from "../../live/live.ts";
import { type Problem, problemOf } from "../../live/problem.ts";
import { nameIn, planHref, projectHref } from "../../live/projects.ts";
import { useRows } from "../../live/rows.ts";
import { client, may } from "../../live/session.ts";
import { Ago } from "../../parts/ago.tsx";
import { keyIfAllowed, Reading } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { Mark } from "../../parts/sign.tsx";
import { Empty, Trouble } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { query } from "../../router.ts";
import type { Verdict } from "../../verdict.ts";
import { words } from "../../words/en_later.ts";
import { Rules } from "./rules.tsx";
import { Take, type Taken, titleOf, versionOf } from "./take.tsx";

const TEXT = words.updates;
const DAYS = [0, 1, 3, 7, 14, 30];

const VERDICTS: Readonly<Record<UpdateItem["state"], Verdict>> = {
  newer: "differs",
  current: "asWritten",
  gone: "broken",
  refused: "broken",
  limited: "unknown",
  unknown: "unknown",
};

/** Newer ones first, as the service sorts them. */
const ORDER = Object.keys(VERDICTS);

export function Updates() {
  const read = useRows(keyIfAllowed("artifacts:read", "updates"), "updates");
  const project = query.value.get("project");
  const [taken, setTaken] = useState<Taken | null>(null);
  return (
    <Reading read={read} permission="artifacts:read">
      {({ items: all, beside: { enabled = false, coolDownDays = 0, projects = [], liveNeeds } }) => {
        const items = all.filter((one) => project === null || one.project === project)
          .toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
        const newer = items.filter(({ state }) => state === "newer").length;
        return (
          <>
            <header class="screen-head">
              <h1>{words.titles.updates}</h1>
              <span class="quiet" role="status">
                {enabled ? TEXT.newer(newer) : TEXT.count(items.length)}
              </span>
              <UpdateAll items={items} />
            </header>
            <Switch enabled={enabled} coolDownDays={coolDownDays} />
            {liveNeeds !== undefined && <p class="hint">{words.lacks(liveNeeds)}</p>}
            {items.length === 0
              ? (
                <Empty title={TEXT.none}>
                  <p class="hint">{TEXT.noneHint}</p>
                </Empty>
              )
              : (
                <Table
                  label={words.titles.updates}
                  items={items}
                  keyOf={({ project, units }) => `${project} ${units[0]}`}
                  columns={columns(setTaken)}
                />
              )}
            {enabled && items.length > 0 && (
              <Rules projects={[...new Set(items.map(({ project }) => project))].sort()} rules={projects} />
            )}
            {taken !== null && <Take {...taken} close={() => setTaken(null)} />}
          </>
        );
      }}
    </Reading>
  );
}

/** Switches the look on and off, and looks now. */
function Switch({ enabled, coolDownDays }: { readonly enabled: boolean; readonly coolDownDays: number }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [begun, setBegun] = useState<number | null>(null);
  const act = async (work: () => Promise<unknown>) => {
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  const set = (rules: { enabled: boolean; coolDownDays: number }) =>
    act(() => client.put(UPDATES, { payload: rules }));
  if (!may("registries:manage")) return enabled ? null : <p class="hint">{TEXT.off}</p>;
  return (
    <>
      {!enabled && <p class="lead">{TEXT.off} {TEXT.offHint}</p>}
      <p class="switches">
        <button
          type="button"
          class={enabled ? "button" : "button is-main"}
          onClick={() => set({ enabled: !enabled, coolDownDays })}
        >
          {enabled ? TEXT.turnOff : TEXT.on}
        </button>
        {enabled && (
          <button
            type="button"
            class="button"
            onClick={() => act(async () => setBegun((await client.post(UPDATES_CHECK)).json().references))}
          >
            {TEXT.check}
          </button>
        )}
        {enabled && (
          <label>
            {TEXT.coolDown}{" "}
            <select
              value={coolDownDays}
              onChange={({ currentTarget }) => set({ enabled, coolDownDays: Number(currentTarget.value) })}
            >
              {[...new Set([...DAYS, coolDownDays])].sort((a, b) => a - b).map((days) => (
                <option key={days} value={days}>{TEXT.days(days)}</option>
              ))}
            </select>
          </label>
        )}
        {begun !== null && <span class="quiet" role="status">{TEXT.checking(begun)}</span>}
      </p>
      {problem !== null && <Trouble problem={problem} />}
    </>
  );
}

/** True for what an update would take now. */
const isReady = ({ kind, coolsUntil, failed }: UpdateCandidate): boolean =>
  kind === "digest" && coolsUntil === null && failed === null;

/** The plans of all projects that have a newer image. */
function UpdateAll({ items }: { readonly items: readonly UpdateItem[] }) {
  const ids = [
    ...new Set(
      items.filter(({ services, candidates }) => services === 0 && candidates.some(isReady))
        .map(({ project }) => project),
    ),
  ];
  if (ids.length < 2 || !may("projects:plan")) return null;
  const params = new URLSearchParams({ action: "update" });
  for (const id of ids) params.append("p", id);
  return (
    <span class="screen-end">
      <a class="button is-main" href={`/plan?${params}`}>{TEXT.updateAll(ids.length)}</a>
    </span>
  );
}

const columns = (take: (taken: Taken) => void): readonly Column<UpdateItem>[] => [
  {
    head: TEXT.image,
    kind: "name",
    cell: ({ reference }) => <strong>{shown(reference.replace(/^docker\.io\/(?:library\/)?/, ""))}</strong>,
  },
  {
    head: TEXT.project,
    cell: ({ project, units }) => (
      <>
        <a href={projectHref(project)}>{shown(nameIn(project))}</a>{" "}
        <span class="quiet">{shown(units.join(", "))}</span>
      </>
    ),
  },
  {
    head: TEXT.state,
    cell: ({ state, reason, checkedAt, until }) => (
      <>
        <Mark verdict={VERDICTS[state]}>{TEXT.states[state]}</Mark>{" "}
        {reason !== null && <span class="hint">{shown(reason)}</span>}{" "}
        <span class="quiet">
          {checkedAt === null
            ? TEXT.never
            : <Ago since={serviceTime(Date.parse(checkedAt))} say={words.ago} />}
          {until !== null && <>· {TEXT.until(words.day(Date.parse(until)))}</>}
        </span>
      </>
    ),
  },
  {
    head: TEXT.candidate,
    cell: (item) =>
      item.candidates.length === 0 && item.versionsReason === null && item.back === null ? "–" : (
        <>
          {item.back !== null && (
            <p class="candidate">
              <Back item={item} back={item.back} take={take} />
            </p>
          )}
          {item.candidates.map((candidate) => (
            <p class="candidate" key={candidate.reference}>
              <Candidate item={item} candidate={candidate} take={take} />
            </p>
          ))}
          {item.versionsReason !== null && <p class="hint">{shown(item.versionsReason)}</p>}
        </>
      ),
  },
];

interface Taking {
  readonly item: UpdateItem;
  readonly take: (taken: Taken) => void;
}

const Of = ({ item }: { readonly item: UpdateItem }) => (
  <span class="unseen">{shown(`${item.reference}, ${nameIn(item.project)}`)}</span>
);

const WentBack = ({ failed }: { readonly failed: NonNullable<UpdateCandidate["failed"]> }) => (
  <a href={`/applies/${failed.apply}`} title={shown(failed.reason)}>
    <Mark verdict="broken">{TEXT.wentBack(Date.parse(failed.at))}</Mark>
  </a>
);

/** The way back of a change of the file whose image failed. */
const Back = ({ item, back, take }: Taking & { readonly back: NonNullable<UpdateItem["back"]> }) => (
  <>
    <strong>{shown(versionOf(item))}</strong> <WentBack failed={back.failed} />{" "}
    {may("workspaces:files") && (
      <button
        type="button"
        class="link"
        onClick={() => take({ item, candidate: back })}
      >
        {titleOf(item, back)} <Of item={item} />
      </button>
    )}
  </>
);

function Candidate(
  { item, candidate, take }: Taking & { readonly candidate: UpdateCandidate },
) {
  const { kind, digest, step, coolsUntil, firstSeen, notes, failed } = candidate;
  return (
    <>
      {kind === "digest" ? <code title={digest}>{digest.slice(0, 19)}</code> : (
        <>
          <strong title={digest}>{shown(versionOf(candidate))}</strong>{" "}
          {step !== undefined && <span class="quiet">{TEXT.steps[step]}</span>}
        </>
      )}{" "}
      <span class="quiet">
        {coolsUntil === null ? TEXT.firstSeen(Date.parse(firstSeen)) : TEXT.cools(Date.parse(coolsUntil))}
      </span>{" "}
      {failed !== null && (
        <>
          <WentBack failed={failed} />
          {" "}
        </>
      )}
      {notes !== null && (
        <>
          <a href={notes} rel="noopener noreferrer" target="_blank">{TEXT.notes}</a>
          {" "}
        </>
      )}
      {kind === "tag" && may("workspaces:files") && (
        <button
          type="button"
          class="link"
          onClick={() => take({ item, candidate })}
        >
          {titleOf(item, candidate)} <Of item={item} />
        </button>
      )}
      {isReady(candidate) && item.services === 0 && may("projects:plan") && (
        <a class="link" href={planHref(item.project, "update")}>
          {TEXT.update} <Of item={item} />
        </a>
      )}
    </>
  );
}
