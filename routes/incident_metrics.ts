/** The open incidents by kind, as numbers that a collector reads. */
import { INCIDENT_KINDS, type IncidentStore } from "../core/incidents.ts";
import type { NoticeStore } from "../core/notices.ts";
import type { Metrics } from "../core/metrics.ts";

interface NoticeMetrics {
  readonly store: Pick<NoticeStore, "counts">;
  readonly isSending: () => boolean;
}

export function measureNotices(metrics: Metrics, { store, isSending }: NoticeMetrics): void {
  metrics.read("gauge", {
    name: "berth_notices",
    help: "Incidents in the outbox by state, from the replica that sends.",
  }, async () => {
    if (!isSending()) return [];
    return Object.entries(await store.counts()).map(([state, value]) => ({ labels: { state }, value }));
  });
}

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

/** Returns what counts an ending of a container. */
export function countEndings(metrics: Metrics): () => void {
  const counter = metrics.counter({
    name: "berth_endings_total",
    help: "Endings of containers, from the replica that watches.",
  });
  return () => counter.add({});
}
