/** The open incidents by kind, as numbers that a collector reads. */
import { INCIDENT_KINDS, type IncidentStore } from "../core/incidents.ts";
import type { Metrics } from "../core/metrics.ts";

interface IncidentMetrics {
  readonly store: Pick<IncidentStore, "open">;
  /** One replica alone tells them, so that a sum over all replicas is true. */
  readonly isWatching: () => boolean;
}

export function measureIncidents(metrics: Metrics, { store, isWatching }: IncidentMetrics): void {
  metrics.read("gauge", {
    name: "berth_incidents_open",
    help: "Open incidents by kind, from the replica that watches.",
  }, async () => {
    if (!isWatching()) return [];
    const open = await store.open();
    return INCIDENT_KINDS.map((kind) => ({
      labels: { kind },
      value: open.filter((one) => one.kind === kind).length,
    }));
  });
}
