/** Acts on the chosen containers, with the result for each. */
import { useEffect, useState } from "preact/hooks";
import type { Container } from "../../../client/berth/containers.ts";
import { type Action, actOn, NEEDS, type Result, results } from "../../live/actions.ts";
import { Act } from "../../parts/act.tsx";
import { LaterRemoveDialog } from "../../parts/later.tsx";
import { shown } from "../../parts/shown.ts";
import { Mark } from "../../parts/sign.tsx";
import { go } from "../../router.ts";
import { words } from "../../words/en.ts";

export function Actions(
  { chosen, clear }: { readonly chosen: readonly Container[]; readonly clear: () => void },
) {
  const [isAsking, setAsking] = useState(false);
  const isWorking = [...results.value.values()].some(({ state }) => state === "working");
  const amount = chosen.length;
  const done = () => {
    results.value = new Map();
    clear();
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented && document.querySelector("dialog") === null) {
        done();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
  useEffect(() => () => void (results.value = new Map()), []);
  if (amount === 0 && results.value.size === 0) return null;
  const button = (action: Action, act: () => void = () => void actOn(action, chosen)) => (
    <Act permission={NEEDS[action]} act={act} disabled={isWorking || amount === 0}>
      {words.containers[action]}
    </Act>
  );
  return (
    <div class="actions" role="region" aria-label={words.containers.chosen(amount)}>
      <strong>{words.containers.chosen(amount)}</strong>
      {button("start")}
      {button("stop")}
      {button("restart")}
      {button("remove", () => setAsking(true))}
      <Act permission="containers:logs" act={() => go(logsOf(chosen))} disabled={amount === 0}>
        {words.containers.together}
      </Act>
      <button type="button" class="link" onClick={done}>{words.containers.clear}</button>
      {isAsking && (
        <LaterRemoveDialog
          containers={chosen}
          close={() => setAsking(false)}
          remove={(options) => void actOn("remove", chosen, options)}
        />
      )}
    </div>
  );
}

function logsOf(chosen: readonly Container[]): string {
  return `/logs?${new URLSearchParams(chosen.map(({ backend, name }) => ["c", `${backend}/${name}`]))}`;
}

export function ResultOf({ result: { action, state, reason } }: { readonly result: Result }) {
  if (state === "working") {
    return <span class="quiet">{words.containers[action]} {words.containers.working}</span>;
  }
  if (state === "failed") return <Mark verdict="broken">{shown(reason)}</Mark>;
  return (
    <Mark verdict="completed">
      {state === "done" ? words.containers.done[action]! : words.containers.unchanged}
    </Mark>
  );
}
