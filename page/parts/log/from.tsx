/** From where a log is read: its end, the last minutes, all of it, or a line that a link names. */
import type { From } from "../../live/log_feed.ts";
import { go, query, withQuery } from "../../router.ts";
import { words } from "../../words/en_later.ts";

const SPANS = ["10m", "1h", "all"] as const;
const THE_BEGINNING = "1970-01-01T00:00:00Z";

/** Turns the address's value into the API's; `tail` if the address has none. */
export function fromOf(asked: string | null, tail: number): From {
  if (asked === "all") return { since: THE_BEGINNING };
  if (asked === null || asked === "") return { tail };
  return { since: asked };
}

export function FromChoice(
  { tail, isOfEach = false }: { readonly tail: number; readonly isOfEach?: boolean },
) {
  const at = query.value.get("at");
  const asked = at === null ? query.value.get("from") ?? "" : "at";
  const isOther = asked !== "" && !(SPANS as readonly string[]).includes(asked);
  return (
    <select
      aria-label={words.log.from}
      value={asked}
      onChange={(event) => go(withQuery({ from: event.currentTarget.value, at: null }), { replace: true })}
    >
      <option value="">{words.log.lastLines(tail, isOfEach)}</option>
      {SPANS.map((span) => <option key={span} value={span}>{words.log.span[span]}</option>)}
      {isOther && <option value={asked}>{words.log.sinceLine}</option>}
    </select>
  );
}
