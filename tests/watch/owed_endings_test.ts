/** Promise: endings that an apply made are not those of an incident that comes long after it. */
import assert from "node:assert/strict";
import { pause } from "../../core/pause.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { eventually } from "../support/eventually.ts";
import { manyProjects } from "../support/many_projects.ts";

const WELL_MS = 300;
/** Long enough for some looks, and for the endings before to be over. */
const LOOKS_MS = 1_500;

Deno.test("an ending during an apply that left its unit well is not counted by a later incident", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, flip } = await manyProjects(stack, 1, {
    watchTimes: { beginMs: 0, tickMs: 50, wellMs: WELL_MS },
  });
  const { store } = berth.berth;
  const path = `${berth.folder}/workspaces/many/p0000/compose.yaml`;
  const services = [0, 1, 2].map((at) =>
    `  s${at}: { image: scripted, mem_limit: 64m, network_mode: none }\n`
  );
  await Deno.writeTextFile(path, `name: p0000\nservices:\n${services.join("")}`);
  const openNow = () => store.incidents.open();
  await eventually("berth watches", () => store.incidents.wasWatched());
  flip(1, true);
  await eventually(
    "another unit is broken",
    async () => (await openNow()).some(({ kind }) => kind === "broken"),
  );
  flip(1, false);
  await eventually("all is well", async () => (await openNow()).length === 0);

  const now = Date.now();
  await store.applies.add({
    ...{ id: "a", workspace: "many", group: "p0000", project: "p0000", backend: "one", work: "{}" },
    ...{ by: { kind: "apiKey", id: "k", name: "key" }, credential: null, createdAt: now },
    ...{ owner: "another", leaseUntil: now + 3_600_000 },
  }, ENTRY);
  flip(0, true);
  await pause(LOOKS_MS);
  assert.deepEqual(await openNow(), [], "it waits for the end of the apply");
  flip(0, false);
  await pause(LOOKS_MS);
  await store.applies.write("a", 1, [], [], { state: "done", reason: null, at: Date.now() });
  flip(0, true);
  const [found] = await eventually("it is broken", async () => {
    const open = await openNow();
    return open.length > 0 ? open : null;
  });
  assert.deepEqual([found!.kind, found!.endings], ["broken", 1]);
});
