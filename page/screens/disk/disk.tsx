/** The disk usage of the engines' objects, and a plan to remove the unused ones. */
import { useRef, useState } from "preact/hooks";
import {
  type DiskUsage,
  type PruneReport,
  SYSTEM_DISK_USAGE,
  type Usage,
} from "../../../client/berth/system.ts";
import { useResource } from "../../live/resource.ts";
import { client, LONG_S } from "../../live/session.ts";
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
  const { read, mayRead, isMeasuring, measure } = useUsage();
  const [report, setReport] = useState<PruneReport | null>(null);
  return (
    <>
      <Reading read={read} permission="system:read">
        {(usage) => <Figures usage={usage} isMeasuring={isMeasuring} measure={measure} />}
      </Reading>
      {mayRead && (
        report === null ? <ChooseTypes done={setReport} /> : (
          <Plan
            key={report.plan ?? "done"}
            report={report}
            carriedOut={(carried) => {
              setReport(carried);
              measure();
            }}
            close={() => setReport(null)}
          />
        )
      )}
    </>
  );
}

/** Reads the figures, which may take an engine minutes; `measure` has them measured now, and keeps what is shown. */
function useUsage() {
  const wantsFresh = useRef(false);
  const [isMeasuring, setMeasuring] = useState(false);
  const key = keyIfAllowed("system:read", "disk");
  const read = useResource(key, async (signal) => {
    setMeasuring(true);
    try {
      const query = { fresh: wantsFresh.current };
      const usage = (await client.get(SYSTEM_DISK_USAGE, { query, signal, timeoutS: LONG_S })).json();
      wantsFresh.current = false;
      return usage;
    } finally {
      setMeasuring(false);
    }
  }, { live: false });
  const measure = () => {
    wantsFresh.current = true;
    read.reload();
  };
  return { read, mayRead: key !== null, isMeasuring, measure };
}

function Figures(
  { usage, isMeasuring, measure }: {
    readonly usage: DiskUsage;
    readonly isMeasuring: boolean;
    readonly measure: () => void;
  },
) {
  return (
    <>
      <Unavailable engines={usage.unavailable} say={TEXT.unmeasured} />
      <header class="screen-head">
        <h1>{words.titles.disk}</h1>
        {isMeasuring ? <span class="quiet" role="status">{words.loading}</span> : (
          <span class="quiet">
            {usage.measuredAt !== null && <Ago since={Date.parse(usage.measuredAt)} say={TEXT.measured} />}
          </span>
        )}
        <span class="screen-end">
          <button type="button" class="button" disabled={isMeasuring} onClick={measure}>
            {TEXT.measure}
          </button>
        </span>
      </header>
      <Table label={words.titles.disk} items={rowsOf(usage)} keyOf={([type]) => type} columns={COLUMNS} />
    </>
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
