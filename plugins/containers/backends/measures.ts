/** Metrics of the plugin: its engines, their mirrors and the open streams. */
import type { Metrics, Sample } from "../../../core/metrics.ts";
import { BackendState } from "../../../core/runtime.ts";
import type { Backends } from "../../../engines/links/backends.ts";
import type { StreamLimit } from "./stream_limit.ts";

const KINDS = ["containers", "images", "volumes", "networks"] as const;

export function measure(metrics: Metrics, backends: Backends, streams: StreamLimit): void {
  metrics.read("gauge", {
    name: "berth_engines",
    help: "Engines, by their state.",
  }, () => {
    const states = backends.report().map(({ state }) => state);
    return BackendState.options.map((state) => ({
      labels: { state },
      value: states.filter((one) => one === state).length,
    }));
  });
  metrics.read("gauge", {
    name: "berth_engine_up",
    help: "1 while the engine answers.",
    namesEngines: true,
  }, () => ofEngines(({ state }) => state === "up" ? 1 : 0));
  metrics.read("counter", {
    name: "berth_engine_events_total",
    help: "Events that the engine told.",
    namesEngines: true,
  }, () => ofEngines(({ events }) => events));
  metrics.read("gauge", {
    name: "berth_mirror_rows",
    help: "Objects of all engines in memory.",
  }, () =>
    KINDS.map((kind) => ({
      labels: { kind },
      value: sum(backends.links.map(({ mirror }) => mirror[kind].rows.size)),
    })));
  metrics.read("gauge", {
    name: "berth_mirror_waiting",
    help: "Containers that may have changed and are still to be read.",
  }, () => [{ value: sum(backends.links.map(({ mirror }) => mirror.containers.waiting)) }]);
  metrics.read("gauge", {
    name: "berth_streams_open",
    help: "Streams that callers hold open.",
  }, () => [...streams.counts].map(([kind, value]) => ({ labels: { kind }, value })));

  function ofEngines(value: (link: Backends["links"][number]) => number): Sample[] {
    return backends.links.map((link) => ({ labels: { backend: link.name }, value: value(link) }));
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
