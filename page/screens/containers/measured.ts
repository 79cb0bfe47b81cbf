/** What the listed containers use just now, for who asks for it: each costs its engine a measurement a second. */
import { useEffect, useMemo } from "preact/hooks";
import type { Container } from "../../../client/berth/containers.ts";
import { keyOf } from "../../live/actions.ts";
import { Measuring, MOST } from "../../live/measures.ts";
import { words } from "../../words/en.ts";

/** In words, by the container; null for what is not measured. */
export function useMeasured(
  containers: readonly Container[],
  isWanted: boolean,
): (container: Container) => string | null {
  const running = isWanted ? containers.filter(({ state }) => state === "running").slice(0, MOST) : [];
  const key = running.map(keyOf).join();
  const measuring = useMemo(() => key === "" ? null : new Measuring(running.map(keyOf), false), [key]);
  useEffect(() => () => measuring?.end(), [measuring]);
  void measuring?.version.value; // drawn again with every message
  return (container) => {
    const latest = measuring?.series.get(keyOf(container))?.latest ?? null;
    if (latest === null) return null;
    return words.measures.both(latest.cpu, words.bytes(latest.memory ?? 0));
  };
}
