/** Cursors of services' logs: a caller who is cut off goes on behind the lines that it has. */
import assert from "node:assert/strict";
import { readCursor } from "../../plugins/containers/logs/of_services/cursors.ts";
import { ServiceLogWorld, serviceOf } from "./service_log_world.ts";

Deno.test("serviceLog tells no cursor without a task whose last lines still wait", async () => {
  await using world = new ServiceLogWorld();
  const long = "x".repeat(2_000);
  const lines = Array.from({ length: 100 }, (_, at) => `${at} ${long}`);
  const service = serviceOf([world.task("early", {}, lines), world.task("late")]);
  world.containers.set("clate", { task: "late", lines, from: 1e9 });
  world.services = [service];

  const told = await world.read({ service, tail: 200 });

  const cursors = told.flatMap(({ cursor }) =>
    cursor === undefined ? [] : [[...readCursor(cursor).keys()].sort()]
  );
  assert.equal(told.filter(({ line }) => line !== undefined).length, 2 * lines.length);
  assert.ok(cursors.length > 1, "pieces behind the first of the late one have one");
  assert.deepEqual(
    cursors.filter((tasks) => tasks.length < 2),
    [],
    "behind it, all lines of the late one come",
  );
});
