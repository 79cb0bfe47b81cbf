/** A berth whose containers are nothing like the files that declare them. */
import assert from "node:assert/strict";
import { inspected, scriptedId, ScriptedWorld } from "../support/scripted_world.ts";
import { serveEngines, type TestCaller, type TestService } from "../support/service.ts";

// deno-lint-ignore no-explicit-any -- a test looks into whatever was said
export type Row = any;

/** A berth with these files, where each service of each project has a container that is nothing like it. */
export async function berthWith(
  stack: AsyncDisposableStack,
  files: Readonly<Record<string, string>>,
  services: Readonly<Record<string, readonly string[]>>,
): Promise<TestService> {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-test-" }));
  stack.defer(() => Deno.remove(home, { recursive: true }));
  const folder = `${home}/workspaces/all`;
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(`${folder}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${folder}/${path}`, text);
  }
  const containers = new Map<string, unknown>();
  for (const [project, names] of Object.entries(services)) {
    for (const service of names) {
      const id = scriptedId(containers.size + 1);
      const plain = inspected(id, `${project}-${service}-1`);
      const at = files[`${project}/compose.yaml`] === undefined ? folder : `${folder}/${project}`;
      const labels = {
        "com.docker.compose.project": project,
        "com.docker.compose.service": service,
        "com.docker.compose.project.config_files": `${at}/compose.yaml`,
        "com.docker.compose.project.working_dir": at,
      };
      const config = { ...plain["Config"] as object, Labels: labels, Hostname: "other", User: "other" };
      containers.set(id, { ...plain, Config: config, HostConfig: { Memory: 7 << 20 } });
    }
  }
  const engine = stack.use(new ScriptedWorld({ containers }));
  const berth = stack.use(await serveEngines({ one: engine }, { folder: home, keepsCaller: true }));
  const made = await berth.call("POST /api/workspaces", { path: folder });
  assert.equal(made.status, 201, made.text);
  return berth;
}

export const get = async (caller: TestCaller, path: string): Promise<Row> => {
  const answer = await caller.call(`GET /api${path}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
