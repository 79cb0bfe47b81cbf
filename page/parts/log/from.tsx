/** From where a log is read: its end, the last minutes, all of it, or a line that a link names. */
import type { From } from "../../live/container_log.ts";
import { go, query, withQuery } from "../../router.ts";
import { words } from "../../words/en.ts";

const TAIL = 1_000;
const SPANS = ["10m", "1h", "all"] as const;

/** What the address says, as it is said to the API. */
export function fromOf(asked: string | null): From {
  if (asked === "all") return {};
  if (asked === null || asked === "") return { tail: TAIL };
  return { since: asked };
}

export function FromChoice() {
  const asked = query.value.get("from") ?? "";
  const isTime = asked !== "" && !(SPANS as readonly string[]).includes(asked);
  return (
    <select
      aria-label={words.log.from}
      value={asked}
      onChange={(event) => go(withQuery({ from: event.currentTarget.value }), { replace: true })}
    >
      <option value="">{words.log.lastLines(TAIL)}</option>
      {SPANS.map((span) => <option key={span} value={span}>{words.log.span[span]}</option>)}
      {isTime && <option value={asked}>{words.log.sinceLine}</option>}
    </select>
  );
}
