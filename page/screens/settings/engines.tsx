/** The container engines, those that are away too, and why. */
import type { Backend } from "../../../client/berth/system.ts";
import { useRows } from "../../live/rows.ts";
import { keyIfAllowed, Reading } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { Mark } from "../../parts/sign.tsx";
import { Empty } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import type { Verdict } from "../../verdict.ts";
import { words } from "../../words/en_later.ts";

const VERDICTS: Readonly<Record<Backend["state"], Verdict>> = {
  up: "asWritten",
  away: "unknown",
  refused: "broken",
  unresponsive: "unknown",
  unsupported: "broken",
};

export function Engines() {
  const read = useRows(keyIfAllowed("system:read", "engines"), "engines");
  const text = words.settings.engines;
  return (
    <Reading read={read} permission="system:read">
      {({ items: engines }) => (
        <>
          <header class="screen-head">
            <h1>{words.titles.engines}</h1>
            <span class="quiet" role="status">{text.count(engines.length)}</span>
          </header>
          {engines.length === 0
            ? (
              <Empty title={text.none}>
                <p class="hint">{text.noneHint}</p>
              </Empty>
            )
            : (
              <Table
                label={words.titles.engines}
                items={engines}
                keyOf={({ name }) => name}
                columns={COLUMNS}
              />
            )}
        </>
      )}
    </Reading>
  );
}

const TEXT = words.settings.engines;
const COLUMNS: readonly Column<Backend>[] = [
  {
    head: TEXT.name,
    kind: "name",
    cell: (engine) => (
      <>
        <strong>{shown(engine.name)}</strong>
        {engine.default && <span class="quiet">{TEXT.default}</span>}
      </>
    ),
  },
  {
    head: TEXT.state,
    cell: ({ state, stale, reason }) => (
      <>
        {stale === undefined
          ? <Mark verdict={VERDICTS[state]}>{TEXT.states[state]}</Mark>
          : <Mark verdict="unknown">{shown(TEXT.states.inPart(stale))}</Mark>}
        {reason !== undefined && <span class="hint">{shown(reason)}</span>}
      </>
    ),
  },
  {
    head: TEXT.version,
    cell: ({ kind, version, apiVersion }) => (
      <>
        {kind} {shown(version ?? "")}{" "}
        {apiVersion !== null && <span class="quiet">{shown(TEXT.api(apiVersion))}</span>}
      </>
    ),
  },
  { head: TEXT.machine, cell: ({ os, arch }) => shown([os, arch].filter((one) => one !== null).join(" ")) },
  { head: TEXT.address, cell: ({ address }) => <code>{shown(address)}</code> },
];
