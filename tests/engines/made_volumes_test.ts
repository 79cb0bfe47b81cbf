/** Volumes without a name, which an engine makes with a container: known before any event tells of them. */
import assert from "node:assert/strict";
import { Backends } from "../../engines/links/backends.ts";
import type { Inspections } from "../../plugins/containers/containers/inspected.ts";
import { LinkActs } from "../../plugins/containers/acts/engine_acts.ts";
import type { PullRules } from "../../plugins/containers/backends/logins.ts";
import { eventually } from "../support/eventually.ts";
import { inspected, scriptedId, ScriptedWorld } from "../support/scripted_world.ts";
import { SILENT } from "../support/silent_log.ts";

Deno.test("A volume that was made with a container is listed, though its event is late", async () => {
  const [container, volume] = [scriptedId(1), scriptedId(2)];
  const containers = new Map<string, unknown>();
  await using engine = new ScriptedWorld({
    containers,
    override: (request, path) => {
      if (request.method === "POST" && path === "/containers/create") {
        const mount = {
          Type: "volume",
          Name: volume,
          Source: `/v/${volume}`,
          Destination: "/data",
          RW: true,
        };
        containers.set(container, { ...inspected(container, "db", "created"), Mounts: [mount] });
        return Response.json({ Id: container }, { status: 201 });
      }
      if (path !== "/volumes") return undefined;
      return Response.json({ Volumes: containers.size === 0 ? [] : [{ Name: volume, Driver: "local" }] });
    },
  });
  const address = { kind: "unix", path: engine.socket } as const;
  await using backends = Backends.configured([{ name: "one", guess: "docker", address }], SILENT);
  const link = backends.links[0]!;
  await eventually("the engine is watched", () => engine.watchers === 1 && link.ready);
  assert.equal(link.mirror.volumes.rows.size, 0);
  // Nothing that these know is asked for.
  const acts = new LinkActs(link, {} as Inspections, {} as PullRules);

  await acts.create("db", { image: "db:1" });

  const { shown } = await backends.fresh("volumes");
  assert.deepEqual(shown.flatMap(({ mirror }) => [...mirror.volumes.rows.keys()]), [volume]);
});
