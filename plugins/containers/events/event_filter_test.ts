import assert from "node:assert/strict";
import { Reach } from "../../../core/access.ts";
import { Sights } from "../../../core/sight.ts";
import type { RunningContainer } from "../../../core/runtime.ts";
import type { EngineEvent } from "../../../engines/mirror/event_feed.ts";
import type { Engines } from "../backends/seen.ts";
import { filterOf, type Seen } from "./event_filter.ts";

const PROJECT = "com.docker.compose.project";

Deno.test("of two workspaces with a project of one name, a filter by workspace lets through the events and logs of its own", async () => {
  const row = (id: string, backend: string) =>
    ({
      id,
      backend,
      name: "shop-web-1",
      labels: { [PROJECT]: "shop" },
      compose: { project: "shop", service: "web" },
    }) as unknown as RunningContainer;
  const rows = { staging: row("staging", "here"), prod: row("prod", "far"), stray: row("stray", "here") };
  let isPending = false;
  const ownership = {
    projectsOf: () => ["shop"],
    ownerOf: ({ id }: RunningContainer) => id === "stray" ? null : { id, unit: null },
    settle: () => isPending ? Promise.resolve(true) : false,
  };
  const sights = new Sights(ownership as never); // the other parts are never asked
  const sight = sights.of(Reach.EVERYWHERE);
  const engines = { backends: { links: [] }, sights } as unknown as Engines;
  const seen = {
    events: sight,
    running: sight,
    logs: sight,
    kinds: {},
    everything: true,
    key: [],
  } as unknown as Seen;
  const query = { workspace: "staging", kind: ["container"], healthChecks: false } as const;
  const filter = await filterOf(query, seen, engines);
  const event = (id: string, container: RunningContainer | null) =>
    ({
      type: "container",
      action: "die",
      id,
      backend: "here",
      attributes: { [PROJECT]: "shop" },
      healthCheck: false,
      about: { container, labels: {} },
    }) as unknown as EngineEvent;
  const told = () =>
    Object.entries(rows).filter(([id, container]) => filter.wants(event(id, container))).map(([id]) => id);

  assert.deepEqual(told(), ["staging"]);
  assert.deepEqual(Object.values(rows).filter(filter.wantsContainer).map(({ id }) => id), ["staging"]);
  assert.ok(filter.wants(event("gone", null)), "of a container that is gone the name alone is known");
  isPending = true;
  assert.deepEqual(told(), ["staging", "stray"], "the name counts until its owner is known");
});
