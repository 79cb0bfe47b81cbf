/** Notes of a screen that has nothing, or not everything, to show. */
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { link } from "../live/live.ts";
import type { Problem } from "../live/problem.ts";
import { words } from "../words/en.ts";
import { shown } from "./shown.ts";
import { Sign } from "./sign.tsx";

/** The name of the screen that is shown. */
export const ScreenName = createContext("");

/** Nothing for a moment, then that something is on its way, or that it waits for berth. */
export function Loading() {
  const isSlow = useSlow();
  const state = link.value;
  const { notReached, notLive } = words.problem;
  const text = state?.live !== false ? words.loading : state.wasLive ? notReached : notLive;
  return <p class="loading" role="status">{isSlow ? text : ""}</p>;
}

function useSlow(): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return isSlow;
}

/** A screen that has read nothing yet: its name, and that it reads, or why it cannot. */
export function Unread({ problem, again }: { readonly problem: Problem | null; readonly again: () => void }) {
  const name = useContext(ScreenName);
  const isSlow = useSlow();
  return (
    <>
      <header class="screen-head">
        <h1 class={isSlow || problem !== null ? "" : "unseen"}>{shown(name)}</h1>
      </header>
      {problem === null ? <Loading /> : <Trouble problem={problem} again={again} />}
    </>
  );
}

/** `whole` where it is all that the screen shows. */
export function Empty(
  { title, whole = false, children }: {
    readonly title: string;
    readonly whole?: boolean;
    readonly children?: ComponentChildren;
  },
) {
  return (
    <div class="empty">
      {whole ? <h1>{title}</h1> : <p class="empty-title">{title}</p>}
      {children}
    </div>
  );
}

/** A failure in the words of the API, in its place on the page. */
export function Trouble(
  { problem, since, again }: {
    readonly problem: Problem;
    /** When what is shown was read, if something is. */
    readonly since?: number;
    readonly again?: () => void;
  },
) {
  return (
    <div class="trouble" role="alert">
      <span>{shown(problem.title)}</span>
      {since !== undefined && since > 0 && <span class="quiet">{words.problem.stale(since)}</span>}
      {problem.requestId !== null && <code class="quiet">{words.problem.request(problem.requestId)}</code>}
      {again && <button type="button" class="link" onClick={again}>{words.again}</button>}
    </div>
  );
}

/**
 * An engine that is not complete, and the reason; `stale` holds the kinds that it does not list although it
 * answers.
 */
interface Lack {
  readonly backend: string;
  readonly reason: string;
  readonly stale?: readonly string[];
}

/** The engines of which what is shown is only a part. */
export function Unavailable(
  { engines, say = words.problem.away }: {
    readonly engines: readonly Lack[];
    /** Of an engine that is missing altogether. */
    readonly say?: (backend: string, reason: string) => string;
  },
) {
  const { unlisted } = words.problem;
  return (
    <>
      {engines.map(({ backend, reason, stale }) => (
        <p class="trouble" role="status" key={backend}>
          <Sign verdict="unknown" />{" "}
          {shown(stale === undefined ? say(backend, reason) : unlisted(backend, stale, reason))}
        </p>
      ))}
    </>
  );
}
