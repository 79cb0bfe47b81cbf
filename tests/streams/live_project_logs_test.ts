/** Logs of projects of one name over `/api/live`: each follows only its own containers. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { inspected, scriptedId, ScriptedWorld } from "../support/scripted_world.ts";
import { serveEngines } from "../support/service.ts";
import { LiveVisitor } from "./live_visitor.ts";

// deno-lint-ignore no-explicit-any -- a test looks into whatever was said
type Row = any;

/** A container of the project `same`, started from a folder. */
function container(id: number, name: string, folder: string): [string, unknown] {
  const plain = inspected(scriptedId(id), name);
  const labels = {
    "com.docker.compose.project": "same",
    "com.docker.compose.service": "web",
    "com.docker.compose.project.working_dir": folder,
    "com.docker.compose.project.config_files": `${folder}/compose.yaml`,
  };
  return [scriptedId(id), { ...plain, Config: { ...plain["Config"] as object, Labels: labels } }];
}

Deno.test("The logs of three projects of one name are not mixed, also those of a container that starts later", async () => {
  await using stack = new AsyncDisposableStack();
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-test-" }));
  stack.defer(() => Deno.remove(home, { recursive: true }));
  const folders = { one: `${home}/workspaces/one`, two: `${home}/workspaces/two`, three: `${home}/stray` };
  for (const folder of Object.values(folders)) {
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(`${folder}/compose.yaml`, "name: same\nservices:\n  web: { image: x }\n");
  }
  const worlds = Object.fromEntries(
    Object.entries(folders).map(([name, folder], at) => [
      name,
      stack.use(new ScriptedWorld({ containers: new Map([container(at + 1, `same-${name}`, folder)]) })),
    ]),
  );
  const berth = stack.use(await serveEngines(worlds, { folder: home, keepsCaller: true }));
  for (const name of ["one", "two"]) {
    assert.equal(
      (await berth.call("POST /api/workspaces", { path: `${home}/workspaces/${name}` })).status,
      201,
    );
  }
  const ids = { one: "same@one", two: "same@two", three: "same@engine:three" };
  await eventually("all three are known", async () => {
    const { items } = (await berth.call("GET /api/projects")).body;
    return Object.values(ids).every((id) => items.some((row: Row) => row.id === id && row.running === 1));
  });
  await using visitor = new LiveVisitor(berth, berth.admin);
  const subscriptions = [...Object.values(ids), "same"];
  for (const [at, project] of subscriptions.entries()) await visitor.subscribe(`s${at}`, "logs", { project });
  const followed = (id: string): string[] => {
    const items: Row[] = visitor.of(`s${subscriptions.indexOf(id)}`).flatMap((one: Row) =>
      one.type === "sources" ? one.items : []
    );
    return [...new Set(items.flatMap(({ name }) => name ?? []))].sort();
  };
  await eventually("all are found by name", () => followed("same").length === 3);
  await eventually("each is found", () => Object.values(ids).every((id) => followed(id).length > 0));
  for (const [name, id] of Object.entries(ids)) assert.deepEqual([id, followed(id)], [id, [`same-${name}`]]);

  for (const [at, [name, folder]] of Object.entries(folders).entries()) {
    const [id, made] = container(at + 11, `late-${name}`, folder);
    worlds[name]!.world.containers!.set(id, made);
    const labels = { "com.docker.compose.project": "same", name: `late-${name}` };
    worlds[name]!.tell({
      Type: "container",
      Action: "start",
      Actor: { ID: id, Attributes: labels },
      timeNano: Date.now() * 1e6,
    });
  }
  await eventually("all later ones are found by name", () => followed("same").length === 6);
  await eventually(
    "each later one is found",
    () => Object.values(ids).every((id) => followed(id).length > 1),
  );
  for (const [name, id] of Object.entries(ids)) {
    assert.deepEqual([id, followed(id)], [id, [`late-${name}`, `same-${name}`]]);
  }
});
