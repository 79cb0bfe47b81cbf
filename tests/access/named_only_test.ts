/** What the files of a workspace merely name gives its scope no rights over what runs elsewhere, also not over its past. */
import assert from "node:assert/strict";
import { LiveVisitor } from "../streams/live_visitor.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";

const { test } = await sharedEngine("docker");
const TIMES = { watchTimes: { beginMs: 0, tickMs: 50, wellMs: 500 } };
const service = `services:\n  db:\n    image: ${FIXTURE}\n`;

/** Files that claim the project "theirs", by its name and by a setting. */
const CLAIMS = {
  named: { "compose.yaml": `name: theirs\n${service}` },
  mapped: {
    "compose.yaml": `name: mine\n${service}`,
    "berth.yaml": "projects: { theirs: mine }\n",
  },
};

for (const [how, files] of Object.entries(CLAIMS)) {
  test(`a workspace whose project is ${how} like another one is told nothing of its incidents and endings`, async (engine) => {
    await using berth = await serveEngines({ docker: engine }, TIMES);
    const path = `${berth.folder}/workspaces/${how}`;
    await Deno.mkdir(path);
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${path}/${name}`, text);
    const { body: { id } } = await berth.call("POST /api/workspaces", { path });
    await using owned = new AsyncDisposableStack();
    owned.defer(async () => void await engine.cli("rm", "--force", "theirs-db-1"));
    const labels = ["com.docker.compose.project=theirs", "com.docker.compose.service=db"];
    await engine.cli(
      ...["run", "--detach", "--name", "theirs-db-1", ...labels.flatMap((one) => ["--label", one])],
      ...[FIXTURE, "sh", "-c", "echo what they said; sleep 1; exit 3"],
    );
    const all = await eventually("its end is told to whoever sees everything", async () => {
      const found = {
        incidents: (await berth.call(`GET /api/incidents?kind=broken&workspace=${id}`)).body.items,
        endings: (await berth.call("GET /api/endings")).body.items,
      };
      return found.incidents.length > 0 && found.endings.length > 0 ? found : null;
    });
    const grants = [{ role: "viewer", on: [`workspace:${id}`] }, { role: "viewer", on: ["project:mine"] }];
    const made = await berth.call("POST /api/settings/api-keys", { name: "claims", grants });
    const caller = berth.as(made.body.key);

    assert.deepEqual((await caller.call("GET /api/containers")).body.items, []);
    assert.deepEqual((await caller.call("GET /api/incidents?kind=broken")).body.items, []);
    assert.equal((await caller.call(`GET /api/incidents/${all.incidents[0].id}`)).status, 404);
    assert.deepEqual((await caller.call("GET /api/endings")).body.items, []);
    assert.equal((await caller.call(`GET /api/endings/${all.endings[0].id}/log`)).status, 404);
    const { text } = await caller.call(`GET /api/projects?workspace=${id}`);
    assert.ok(!text.includes(all.incidents[0].id), text);
    await using visitor = new LiveVisitor(berth, made.body.key);
    await visitor.subscribe("i", "incidents");
    await eventually("the feed is told", () => visitor.lists.has("i"));
    const rows = [...visitor.lists.get("i")!.rows.values()] as { readonly subject: string }[]; // as the feed has them
    assert.deepEqual(rows.filter(({ subject }) => subject !== "berth"), []);
  });
}
