/** The disk usage of the engines' objects, and a plan to remove the unused ones. */
import { useState } from "preact/hooks";
import {
  type DiskUsage,
  type PruneReport,
  SYSTEM_DISK_USAGE,
  type Usage,
} from "../../../client/berth/system.ts";
import { useResource } from "../../live/resource.ts";
import { client } from "../../live/session.ts";
import { Ago } from "../../parts/ago.tsx";
import { keyIfAllowed, Reading } from "../../parts/reading.tsx";
import { Unavailable } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { words } from "../../words/en_later.ts";
import { ChooseTypes } from "./choose_types.tsx";
import { Plan } from "./plan.tsx";

const TEXT = words.disk;
const MEASURED = ["containers", "volumes", "images", "buildCache"] as const;

export function Disk() {
  const [isFresh, setFresh] = useState(false);
  const read = useResource(
    keyIfAllowed("system:read", `disk ${isFresh}`),
    async (signal) => (await client.get(SYSTEM_DISK_USAGE, { query: { fresh: isFresh }, signal })).json(),
    { live: false },
  );
  const [report, setReport] = useState<PruneReport | null>(null);
  return (
    <Reading read={read} permission="system:read">
      {(usage) => (
        <>
          <Unavailable engines={usage.unavailable} say={TEXT.unmeasured} />
          <header class="screen-head">
            <h1>{words.titles.disk}</h1>
            <span class="quiet">
              {usage.measuredAt !== null && <Ago since={Date.parse(usage.measuredAt)} say={TEXT.measured} />}
            </span>
            <span class="screen-end">
              <button
                type="button"
                class="button"
                onClick={() => isFresh ? read.reload() : setFresh(true)}
              >
                {TEXT.measure}
              </button>
            </span>
          </header>
          <Table label={words.titles.disk} items={rowsOf(usage)} keyOf={([type]) => type} columns={COLUMNS} />
          {report === null ? <ChooseTypes done={setReport} /> : (
            <Plan
              key={report.plan ?? "done"}
              report={report}
              carriedOut={(carried) => {
                setReport(carried);
                setFresh(true);
                read.reload();
              }}
              close={() => setReport(null)}
            />
          )}
        </>
      )}
    </Reading>
  );
}

type Row = readonly [type: (typeof MEASURED)[number], usage: Usage];

/** Objects that the caller may not see are not in the answer. */
function rowsOf(usage: DiskUsage): readonly Row[] {
  return MEASURED.flatMap((type) => {
    const one = usage[type];
    return one === undefined ? [] : [[type, one] as const];
  });
}

const COLUMNS: readonly Column<Row>[] = [
  { head: TEXT.type, kind: "name", cell: ([type]) => <strong>{TEXT.types[type]}</strong> },
  { head: TEXT.amount, kind: "end", cell: ([, { count }]) => words.number(count) },
  { head: TEXT.active, kind: "end", cell: ([, { active }]) => words.number(active) },
  { head: TEXT.size, kind: "end", cell: ([, { size }]) => words.bytes(size) },
  { head: TEXT.reclaimable, kind: "end", cell: ([, { reclaimable }]) => words.bytes(reclaimable) },
];
