/** Several logs in one. Whoever shows others gives it another key. */
import { useMemo } from "preact/hooks";
import { type Chosen, MergedLog } from "../../live/merged_log.ts";
import { may } from "../../live/session.ts";
import { words } from "../../words/en.ts";
import { Empty } from "../states.tsx";
import { LogView } from "./log_view.tsx";

/** Of each container, what comes first. */
const TAIL = 200;

export function MergedLogView({ chosen, name }: { readonly chosen: Chosen; readonly name: string }) {
  const feed = useMemo(() => new MergedLog(chosen, TAIL), []);
  if (!may("containers:logs")) return <Empty title={words.log.noRight} />;
  const leftOut = feed.leftOut.value;
  return (
    <>
      {leftOut > 0 && <p class="hint" role="status">{words.log.leftOut(leftOut)}</p>}
      <LogView feed={feed} name={name} />
    </>
  );
}
