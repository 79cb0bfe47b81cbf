/**
 * A prune plan with the reason and size of each object, applied exactly as shown, with the result of each.
 */
import { useState } from "preact/hooks";
import { type PruneReport, SYSTEM_PRUNE } from "../../../client/berth/system.ts";
import { client, LONG_S } from "../../live/session.ts";
import { now } from "../../parts/ago.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { shortOf } from "../../parts/short_id.ts";
import { shown } from "../../parts/shown.ts";
import { Mark } from "../../parts/sign.tsx";
import { Empty, Unavailable } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import type { Verdict } from "../../verdict.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.disk;
type Item = PruneReport["items"][number];

export function Plan(
  { report, carriedOut, close }: {
    readonly report: PruneReport;
    readonly carriedOut: (report: PruneReport) => void;
    readonly close: () => void;
  },
) {
  const [isAsking, setAsking] = useState(false);
  const { plan, items, size, reclaimed, expiresAt } = report;
  const left = expiresAt === null ? 0 : Date.parse(expiresAt) - now.value;
  const isStale = plan !== null && left <= 0;
  const volumes = items.filter(({ type }) => type === "volumes").length;
  const removed = items.filter(({ result }) => result === "removed").length;
  return (
    <section class={isStale ? "plan is-stale-plan" : "plan"} aria-labelledby="plan">
      <div class="section-head">
        <h2 id="plan">{TEXT.plan}</h2>
        <span class="screen-end">
          {plan !== null && !isStale && items.length > 0 && (
            <button
              type="button"
              class="button is-danger"
              onClick={() => setAsking(true)}
            >
              {TEXT.carryOut} …
            </button>
          )}
          <button type="button" class="button" onClick={close}>
            {plan === null ? TEXT.close : isStale ? TEXT.anew : words.cancel}
          </button>
        </span>
      </div>
      <Unavailable engines={report.unavailable} say={TEXT.unplanned} />
      <p role="status">
        {plan === null
          ? TEXT.done(removed, reclaimed)
          : isStale
          ? TEXT.stale
          : TEXT.planned(items.length, size)}
      </p>
      {plan !== null && !isStale && <p class="hint">{TEXT.good(words.duration(left))}</p>}
      {plan !== null && report.left.count > 0 && (
        <p class="hint">{TEXT.left(report.left.count, report.left.size)}</p>
      )}
      {plan !== null && report.left.unclear > 0 && <p class="hint">{TEXT.unclear(report.left.unclear)}</p>}
      {items.length === 0
        ? (
          <Empty title={TEXT.nothing}>
            <p class="hint">{TEXT.nothingHint}</p>
          </Empty>
        )
        : (
          <Table
            label={TEXT.plan}
            items={items}
            keyOf={({ backend, type, id }) => `${backend} ${type} ${id}`}
            isDim={() => isStale}
            columns={plan === null ? [...PLANNED, RESULT] : PLANNED}
          />
        )}
      {isAsking && plan !== null && (
        <Confirm
          title={TEXT.carryOut}
          question={TEXT.carryQuestion(items.length, size)}
          hints={volumes > 0 ? [TEXT.carryVolumes(volumes)] : []}
          close={() => setAsking(false)}
          act={async () =>
            carriedOut((await client.post(SYSTEM_PRUNE, { payload: { plan }, timeoutS: LONG_S })).json())}
        />
      )}
    </section>
  );
}

const PLANNED: readonly Column<Item>[] = [
  {
    head: TEXT.thing,
    kind: "name",
    cell: ({ name, id, type }) =>
      type === "images" && name === id
        ? (
          <>
            <span class="quiet">{words.images.unnamed}</span> <code title={id}>{shortOf(id)}</code>
          </>
        )
        : <strong>{shown(name)}</strong>,
  },
  { head: TEXT.type, kind: "short", cell: ({ type }) => <span class="quiet">{TEXT.types[type]}</span> },
  { head: TEXT.why, cell: ({ why }) => shown(why) },
  { head: TEXT.size, kind: "end", cell: ({ size }) => words.bytes(size) },
  {
    head: words.lists.engine,
    kind: "short",
    cell: ({ backend }) => <span class="quiet">{shown(backend)}</span>,
  },
];

const SIGNS: Readonly<Record<Item["result"], Verdict>> = {
  planned: "notStarted",
  removed: "completed",
  gone: "completed",
  kept: "differs",
};

const RESULT: Column<Item> = {
  head: TEXT.result,
  cell: ({ result, reason }) => (
    <>
      <Mark verdict={SIGNS[result]}>{TEXT.results[result]}</Mark>
      {reason !== undefined && <span class="hint">{shown(reason)}</span>}
    </>
  ),
};
