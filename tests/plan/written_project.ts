/** Containers of a test's engine written down as a project, without a berth around it. */
import type { InspectedContainer } from "../../core/runtime.ts";
import { writeProject, type WrittenProject } from "../../projects/adopt/write_project.ts";
import type { EngineDefaults } from "../../core/undeclarable.ts";
import type { TestEngine } from "../support/engine.ts";

/** The values that the engine gives by itself. */
export async function defaultsOf(engine: TestEngine): Promise<EngineDefaults> {
  const { json } = await engine.ask("GET /info");
  return {
    logDriver: json.LoggingDriver,
    runtime: json.DefaultRuntime,
    cgroupMode: json.CgroupVersion === "2" ? "private" : "host",
  };
}

/** The project of these containers, written down on the engine that they are on. */
export async function written(
  engine: TestEngine,
  name: string,
  containers: readonly InspectedContainer[],
  bare: InspectedContainer | null = null,
): Promise<WrittenProject> {
  const networks = (await engine.ask("GET /networks")).json;
  const volumes = (await engine.ask("GET /volumes")).json.Volumes ?? [];
  const held = (one: { Name: string; Labels: Record<string, string> | null }) => ({
    name: one.Name,
    labels: one.Labels ?? {},
  });
  return writeProject({
    name,
    kind: engine.kind,
    defaults: await defaultsOf(engine),
    bare,
    containers,
    networks: networks.map(held),
    volumes: volumes.map(held),
    nameOf: (id) => containers.find((one) => one.id === id)?.name,
    self: null,
    foreign: new Set(),
  });
}
