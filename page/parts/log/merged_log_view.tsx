/** Several logs in one. Whoever shows others gives it another key. */
import { useMemo } from "preact/hooks";
import { type Chosen, MergedLog } from "../../live/merged_log.ts";
import { may } from "../../live/session.ts";
import { query } from "../../router.ts";
import { words } from "../../words/en_later.ts";
import { Empty } from "../states.tsx";
import { FromChoice, fromOf } from "./from.tsx";
import { LogView } from "./log_view.tsx";

/** Of each container, what comes first. */
const TAIL = 200;

interface Target {
  readonly chosen: Chosen;
  readonly name: string;
}

export function MergedLogView(target: Target) {
  const from = query.value.get("from");
  const at = query.value.get("at");
  if (!may("containers:logs")) return <Empty title={words.log.noRight} />;
  return <Merged {...target} from={from} at={at} key={`${from} ${at}`} />;
}

function Merged(
  { chosen, name, from, at }: Target & { readonly from: string | null; readonly at: string | null },
) {
  const feed = useMemo(() => {
    const blank = at?.indexOf(" ") ?? -1;
    const place = at === null || blank < 0
      ? null
      : { source: at.slice(0, blank), cursor: at.slice(blank + 1) };
    return new MergedLog(chosen, fromOf(from, TAIL), place);
  }, []);
  const leftOut = feed.leftOut.value;
  return (
    <>
      {leftOut > 0 && <p class="hint" role="status">{words.log.leftOut(leftOut)}</p>}
      <LogView feed={feed} name={name}>
        <FromChoice tail={TAIL} isOfEach />
      </LogView>
    </>
  );
}
