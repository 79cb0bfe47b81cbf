/** A berth with many projects on one scripted engine; all of their containers differ from their files. */
import assert from "node:assert/strict";
import { inspected, scriptedId, ScriptedWorld } from "./scripted_world.ts";
import { serveEngines, type ServiceOptions } from "./service.ts";

/** Containers of each project. */
export const PER_PROJECT = 3;

const nameOf = (project: number) => `p${String(project).padStart(4, "0")}`;

/** A container with a limit of memory that no file asks for. */
function running(folder: string, index: number, memory = 64 << 20): Record<string, unknown> {
  const project = nameOf(Math.floor(index / PER_PROJECT));
  const service = `s${index % PER_PROJECT}`;
  const plain = inspected(scriptedId(index + 1), `${project}-${service}-1`);
  const labels = {
    "com.docker.compose.project": project,
    "com.docker.compose.service": service,
    "com.docker.compose.project.config_files": `${folder}/${project}/compose.yaml`,
    "com.docker.compose.project.working_dir": `${folder}/${project}`,
  };
  return {
    ...plain,
    Config: { ...plain["Config"] as Record<string, unknown>, Labels: labels },
    HostConfig: { Memory: memory, NetworkMode: "none" },
    NetworkSettings: { Ports: {}, Networks: { none: {} } },
  };
}

export async function manyProjects(
  stack: AsyncDisposableStack,
  projects: number,
  options: Omit<ServiceOptions, "folder"> = {},
) {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-test-" }));
  stack.defer(() => Deno.remove(home, { recursive: true }));
  const folder = `${home}/workspaces/many`;
  for (let project = 0; project < projects; project++) {
    await Deno.mkdir(`${folder}/${nameOf(project)}`, { recursive: true });
    const services = Array.from({ length: PER_PROJECT }, (_, at) => `  s${at}: { image: scripted }\n`);
    await Deno.writeTextFile(
      `${folder}/${nameOf(project)}/compose.yaml`,
      `name: ${nameOf(project)}\nservices:\n${services.join("")}`,
    );
  }
  const indexes = Array.from({ length: projects * PER_PROJECT }, (_, index) => index);
  const containers = new Map<string, unknown>(
    indexes.map((index) => [scriptedId(index + 1), running(folder, index)]),
  );
  const engine = stack.use(new ScriptedWorld({ containers }));
  const berth = stack.use(await serveEngines({ one: engine }, { ...options, folder: home }));
  const made = await berth.call("POST /api/workspaces", { path: folder });
  assert.equal(made.status, 201, made.text);
  let memory = 32 << 20;
  return {
    engine,
    berth,
    projects,
    workspace: made.body.id as string,
    /** Asks for all rows. */
    ask: (limit: number) =>
      fetch(`${berth.url}/api/projects?limit=${limit}`, {
        headers: { authorization: `Bearer ${berth.credential}` },
      }),
    /** Ends a container with an error, or starts it again. */
    flip(index: number, isEnded: boolean): void {
      const was = running(folder, index);
      const State = isEnded
        ? { Status: "exited", Running: false, ExitCode: 1, FinishedAt: new Date().toISOString() }
        : was["State"];
      containers.set(scriptedId(index + 1), { ...was, State });
      engine.tell({
        Type: "container",
        Action: isEnded ? "die" : "start",
        Actor: { ID: scriptedId(index + 1), Attributes: { name: `s${index}`, exitCode: "1" } },
        timeNano: Date.now() * 1e6,
      });
    },
    /** Gives a container another limit, and returns it as rows show it. */
    touch(index: number): string {
      memory += 1 << 20;
      containers.set(scriptedId(index + 1), running(folder, index, memory));
      engine.tell({
        Type: "container",
        Action: "update",
        Actor: { ID: scriptedId(index + 1), Attributes: { name: `${nameOf(0)}-s0-1` } },
        timeNano: Date.now() * 1e6,
      });
      return String(memory);
    },
  };
}
