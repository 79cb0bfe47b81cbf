/** Rows that an earlier version ignored in this browser alone: offered once, then forgotten. */
import type { Aside } from "./projects.ts";

const KEPT = "berth.ignored";
const MOST = 500;

/** Returns them by the ids that the service knows; an id of before was `<engine>/<name>` for a container. */
export function ignoredBefore(): readonly Aside[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    const ids = Array.isArray(kept) ? kept.filter((one) => typeof one === "string").slice(0, MOST) : [];
    return ids.map(asideOf);
  } catch {
    return []; // somebody else wrote there
  }
}

export function forgetBefore(): void {
  localStorage.removeItem(KEPT);
}

function asideOf(id: string): Aside {
  const project = /^(.+)@engine:[^/]+$/.exec(id);
  if (project !== null) return { id, name: project[1]!, kind: "project" };
  const slash = id.indexOf("/");
  const name = id.slice(slash + 1);
  return { id: `${name}@engine:${id.slice(0, Math.max(0, slash))}`, name, kind: "container" };
}
