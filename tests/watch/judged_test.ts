/** Promise: one event costs the judgement of its own project, and nothing of any other. */
import assert from "node:assert/strict";
import type { AppParts } from "../../app/parts.ts";
import { judge, type Judged } from "../../projects/watch/judge.ts";
import { ownSide } from "../../routes/artifact_lookup.ts";
import { eventually } from "../support/eventually.ts";
import { scriptedId } from "../support/scripted_world.ts";
import { manyProjects, PER_PROJECT } from "../support/many_projects.ts";

const PROJECTS = 20;

Deno.test("after one event only the units of its project are judged anew, and only its container is asked for", async () => {
  await using stack = new AsyncDisposableStack();
  let parts: AppParts | undefined;
  const mount = (all: AppParts) => {
    parts = all;
    return [];
  };
  const many = await manyProjects(stack, PROJECTS, { mount });
  const memory = "67108864";
  await eventually("all are compared", async () => {
    const text = await (await many.ask(PROJECTS)).text();
    return text.split(memory).length > PROJECTS;
  });
  const { registry, plugins, access } = parts!; // it was mounted by the first request
  const judged = async (): Promise<readonly Judged[]> => {
    const [{ workspace, model } = assert.fail()] = await registry.models();
    const own = await ownSide({ registry, digests: access.digests }, workspace.id);
    return await judge(workspace.id, model, plugins.runtime, own);
  };
  const before = await eventually("nothing more comes", async () => {
    const [one, other] = [await judged(), await judged()];
    return one.every((unit, at) => unit === other[at]) ? other : null;
  });
  assert.equal(before.length, PROJECTS * PER_PROJECT);
  assert.ok(before.every(({ kind }) => kind === "differs"));
  const asked = many.engine.calls.length;
  const changed = many.touch(0);
  const after = await eventually("the change is judged", async () => {
    const now = await judged();
    return JSON.stringify(now.map(({ fields }) => fields)).includes(changed) ? now : null;
  });
  const anew = after.filter((unit, at) => unit !== before[at]);
  assert.deepEqual([...new Set(anew.map(({ subject }) => subject.project))], ["p0000"]);
  // Read for its row, for the comparison, and once more in case that came too early.
  const calls = many.engine.calls.slice(asked).filter((call) => call.includes("/containers/"));
  assert.deepEqual([...new Set(calls)], [`GET /containers/${scriptedId(1)}/json`]);

  // An overview of all asks the engine for what changed alone.
  const overview = async () => (await many.berth.call("GET /api/overview?limit=1")).body.counts.differs;
  assert.equal(await overview(), PROJECTS * PER_PROJECT);
  const isQuiet = async () => {
    const count = many.engine.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    return count === many.engine.calls.length;
  };
  many.touch(PER_PROJECT);
  await eventually(
    "its row is read",
    () => many.engine.calls.some((call) => call.includes(scriptedId(PER_PROJECT + 1))),
  );
  await eventually("nothing more is read", isQuiet);
  const earlier = many.engine.calls.length;
  assert.equal(await overview(), PROJECTS * PER_PROJECT);
  const own = many.engine.calls.slice(earlier).filter((call) => call.startsWith("GET "));
  assert.ok(own.length <= 2, own.join(", "));
});
