/** Findings in a text while it is written: asked for after each pause, and again while nobody could tell. */
import { useEffect, useState } from "preact/hooks";
import type { Diagnostic } from "../../../client/berth/models.ts";
import { type Problem, problemOf } from "../../live/problem.ts";

/** After the last key, before what was typed is checked. */
export const CHECK_AFTER_MS = 400;
const AGAIN_MS = 2_000;

export interface Checked {
  /** Null before the first answer; the last answer stays until the next. */
  readonly findings: readonly Diagnostic[] | null;
  /** The reason why the text as it is now is not checked yet, after a try. */
  readonly problem: Problem | null;
}

/** `key` is another one whenever there is something else to check; empty for nothing. */
export function useChecked(
  key: string,
  afterMs: number,
  check: (signal: AbortSignal) => Promise<readonly Diagnostic[]>,
): Checked {
  const [checked, setChecked] = useState<Checked>({ findings: null, problem: null });
  useEffect(() => {
    if (key === "") return;
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const look = async () => {
      try {
        const findings = await check(ending.signal);
        if (!ending.signal.aborted) setChecked({ findings, problem: null });
      } catch (error) {
        if (ending.signal.aborted) return;
        setChecked(({ findings }) => ({ findings, problem: problemOf(error) }));
        timer = setTimeout(look, AGAIN_MS);
      }
    };
    timer = setTimeout(look, afterMs);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [key]);
  return checked;
}
