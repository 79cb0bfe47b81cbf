/** Images that are pinned by a digest count as there when the engine has them under it, also those that are mounted. */
import assert from "node:assert/strict";
import { workspace } from "../streams/live_scene.ts";
import { scriptedId, ScriptedWorld } from "../support/scripted_world.ts";
import { serveEngines } from "../support/service.ts";

const [HELD, ABSENT] = [1, 2].map((number) => `sha256:${scriptedId(number)}`);
const IMAGES = [["arm64", 11], ["amd64", 12]] as const;

const text = (image: string, mounted: string) => `
name: pinned
services:
  web:
    image: ${image}
    platform: linux/amd64
    volumes: [{ type: image, source: "${mounted}", target: /image }]
`;

Deno.test("An image that is pinned by a digest is pulled only where it is absent, and found among platforms", async () => {
  // As Podman lists two images of one index, which were pulled for two platforms.
  await using engine = new ScriptedWorld({
    apiVersion: "1.48",
    override: (_request, path) => {
      if (path === "/images/json") {
        return Response.json(IMAGES.map(([, id]) => ({
          Id: `sha256:${scriptedId(id)}`,
          RepoTags: [],
          RepoDigests: [`docker.io/library/app@${HELD}`, `ghcr.io/them/files@${HELD}`],
        })));
      }
      const image = IMAGES.find(([, id]) => path.includes(scriptedId(id)));
      return image && Response.json({ Os: "linux", Architecture: image[0] });
    },
  });
  await using berth = await serveEngines({ one: engine });
  let projects = 0;
  const pulls = async (image: string, mounted: string, pull: "policy" | "never") => {
    const name = `pinned${projects++}`;
    const { id } = await workspace(berth, name, text(image, mounted).replace("pinned", name));
    const answer = await berth.call(`POST /api/workspaces/${id}/artifacts/groups/${name}/plan`, { pull });
    assert.equal(answer.status, 201, answer.text);
    const { steps, blocked } = answer.body;
    return [
      ...steps.filter(({ kind }: { kind: string }) => kind === "image.pull").map((
        { target }: { target: string },
      ) => target),
      ...blocked.map(({ code }: { code: string }) => code),
    ];
  };
  const [image, mounted] = [`app:1@${HELD}`, `ghcr.io/them/files@${HELD}`];
  const others = [`app@${ABSENT}`, `ghcr.io/them/files@${ABSENT}`] as const;

  assert.deepEqual(await pulls(image, mounted, "policy"), []);
  assert.deepEqual(await pulls(image, mounted, "never"), []);
  assert.deepEqual((await pulls(...others, "policy")).sort(), [...others].sort());
  assert.deepEqual(await pulls(...others, "never"), ["project/image-absent", "project/image-absent"]);
});
