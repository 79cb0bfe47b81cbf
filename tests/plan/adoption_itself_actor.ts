/**
 * A berth in a container that tries to adopt this very container: `adoption_itself_actor.ts <engine> <socket> <name>`
 * prints its draft and the answer to saving it, as JSON.
 */
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";
import { workspace } from "../streams/live_scene.ts";

const [engine = "", socket = "", name = ""] = Deno.args;

await using berth = await startService({ engines: [{ name: engine, url: `unix://${socket}` }] });
await workspace(berth, "home", "name: declared\nservices:\n  web:\n    image: none\n");
await berth.call("PUT /api/workspaces/home", { editable: true });
const own = await eventually("berth sees its own container", async () => {
  const { body } = await berth.call("GET /api/containers");
  return body.items?.find((one: { name: string }) => one.name === name);
});
const containers = [{ backend: engine, id: own.id }];
const draft = await berth.call("POST /api/workspaces/home/adoptions/draft", { containers, name: "itself" });
const projects = [{ name: "itself", folder: "itself", containers }];
const saved = await berth.call(`POST /api/adoptions/drafts/${draft.body.id}/accept`, { projects });
const files = [...Deno.readDirSync(`${berth.folder}/workspaces/home`)].map(({ name }) => name);
const [{ refused }] = draft.body.projects;
console.log(JSON.stringify({ refused, status: saved.status, title: saved.body.title, files }));
