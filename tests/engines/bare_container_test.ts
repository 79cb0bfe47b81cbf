/** The settings that an engine gives by itself, learned from a container that is never started and leaves nothing. */
import assert from "node:assert/strict";
import { Engine } from "../../engines/calls/engine.ts";
import { BareContainer } from "../../engines/links/bare_container.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { fixtureImage } from "../support/fixture_image.ts";
import { ScriptedEngine } from "../support/scripted_engine.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { workspace } from "../streams/live_scene.ts";

const { test } = await sharedEngine("podman");

test("a draft leaves out what the engine gives by itself, and leaves neither container nor volume behind", async (engine) => {
  // The only image has a volume, so that every container of it has one.
  const query = new URLSearchParams({ fromSrc: "-", repo: "with-volume", tag: "1", changes: "VOLUME /data" });
  const imported = await engine.ask(`POST /images/create?${query}`, await fixtureImage());
  const image = /[0-9a-f]{64}/.exec(imported.body)?.[0] ?? assert.fail(imported.body);
  await engine.ask(`DELETE /images/${encodeURIComponent(FIXTURE)}`);
  const { json: { Id: id } } = await engine.ask("POST /containers/create?name=bare", {
    Image: image,
    Cmd: ["idle"],
  });
  const volumes = async () => (await engine.ask("GET /volumes")).json.Volumes.length;
  const before = await volumes();
  await using berth = await serveEngines({ podman: engine });
  await workspace(berth, "home", "name: home\nservices:\n  web:\n    image: none\n");

  const draft = await eventually("the container is known", async () => {
    const containers = [{ backend: "podman", id }];
    const answer = await berth.call("POST /api/workspaces/home/adoptions/draft", { containers });
    return answer.status === 404 ? null : answer;
  });

  assert.equal(draft.status, 200, draft.text);
  const [{ files, leftOut, differences }] = draft.body.projects;
  assert.match(
    files[0].text,
    /^name: bare\nservices:\n {2}bare:\n {4}image: .*\n {4}command:\n {6}- idle\n {4}network_mode: bridge\n {4}container_name: bare\n$/,
  );
  assert.deepEqual(differences, []);
  assert.deepEqual(leftOut.map(({ field }: { field: string }) => field), ["untold"]);
  const { body: { items: [{ sees: [{ sight }] }] } } = await berth.call("GET /api/system/backends");
  assert.equal(sight, "same", "another probe has asked");
  assert.equal((await engine.ask("GET /containers/json?all=1")).json.length, 1);
  assert.equal(await volumes(), before);
  assert.deepEqual(berth.bugs(), []);
});

Deno.test("an engine that lets berth make no container is asked once a minute, and is not known", async () => {
  await using scripted = new ScriptedEngine((call) => call.json({ message: "not allowed" }, 403));
  using engine = new Engine("podman", { kind: "unix", path: scripted.socket });
  const bare = new BareContainer();

  assert.deepEqual([await bare.of(engine, "any"), await bare.of(engine, "any")], [null, null]);

  assert.equal(scripted.calls.filter((one) => one.startsWith("POST /containers/create")).length, 1);
});
