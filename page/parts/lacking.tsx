/** The engines that do not answer, or do not list all that they have. */
import type { Projects } from "../../client/berth/projects.ts";
import { Unavailable } from "./states.tsx";

export function Lacking({ engines }: Pick<Projects, "engines">) {
  const lacking = engines.filter(({ state, stale }) => state !== "up" || stale !== undefined);
  return (
    <Unavailable
      engines={lacking.map(({ name, reason = "", ...more }) => ({ backend: name, reason, ...more }))}
    />
  );
}
