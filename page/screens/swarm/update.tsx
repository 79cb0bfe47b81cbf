/** The update of a service as a bar: how many of its tasks are made from the newest definition. */
import type { SwarmService } from "../../../client/berth/services.ts";
import { shown } from "../../parts/shown.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.swarm;

export function Update({ service: { update, tasks } }: { readonly service: SwarmService }) {
  if (update === null) return null;
  const state = (TEXT.updated as Readonly<Record<string, string>>)[update.state];
  if (state === undefined) return null;
  const desired = tasks.filter((one) => one.desired);
  const done = desired.filter((one) => one.current && one.state === "running").length;
  return (
    <p class="finding-detail">
      <progress max={Math.max(1, desired.length)} value={done} aria-label={state} />{" "}
      {TEXT.updatedTasks(done, desired.length)} · {state} · {shown(update.message)}
    </p>
  );
}
