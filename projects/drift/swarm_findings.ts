/** Rules about a group in a swarm that need the swarm itself: the number of its nodes, and the label of its services. */

import type { Finding, Group, Model, Unit } from "../../artifacts/artifact.ts";
import { isForSwarm } from "../../artifacts/compose/swarm_target.ts";
import type { UnitLive } from "../../artifacts/live/live.ts";
import { type Say, sayInto } from "../../artifacts/rules/say.ts";
import { findingsInSwarm } from "../../artifacts/rules/swarm.ts";
import { numberOf, shownOf, textOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { RunningServices } from "../../core/running_services.ts";

/** Returns what only the swarm shows. Nothing for groups that no sign says for certain to be a stack. */
export function findingsBesideSwarm(
  model: Model,
  group: Group,
  live: ReadonlyMap<string, UnitLive>,
  { clusters }: Pick<RunningServices, "clusters">,
): readonly Finding[] {
  const isSaid = isForSwarm(model, group);
  const isLabelled = live.get(group.id)?.match?.by === "label";
  if (!isSaid && !isLabelled) return [];
  const findings: Finding[] = isSaid ? [] : [...findingsInSwarm(group)];
  const say = sayInto(findings);
  for (const unit of group.units) {
    const name = live.get(unit.id)?.service?.cluster;
    // The only swarm is the one that is meant where it does not run yet.
    const cluster = name === undefined
      ? clusters.length === 1 ? clusters[0] : undefined
      : clusters.find((one) => one.name === name);
    if (cluster !== undefined) checkSpread(unit, cluster, say);
  }
  return findings;
}

function checkSpread(
  { value, label, service, id: subject }: Unit,
  { name, nodes }: RunningServices["clusters"][number],
  say: Say,
): void {
  const most = valueAt(value, "deploy", "placement", "max_replicas_per_node");
  const each = numberOf(most) ?? 0;
  const mode = textOf(valueAt(value, "deploy", "mode")) ?? "replicated";
  const wanted = service?.replicas ?? null;
  if (each <= 0 || wanted === null || !mode.startsWith("replicated") || each * nodes >= wanted) return;
  const message =
    `Swarm "${name}" has ${nodes} ${nodes === 1 ? "node" : "nodes"}: with ${shownOf(most)} on each, ` +
    `not all tasks of "${label}" can run`;
  say("swarm/max-replicas", most, message, { subject });
}
