/** Images for another platform than the engine's own: pulled as the file says, and told from those that are held. */
import assert from "node:assert/strict";
import { project, scene, service } from "./apply_scene.ts";
import { pushVersion } from "./update_scene.ts";
import { ACCEPT } from "../../projects/updates/manifest.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { blob, INDEX, put } from "../support/push_image.ts";
import {
  HAS_REGISTRY,
  type ReachableRegistry,
  startReachableRegistry,
} from "../support/reachable_registry.ts";
import { lawEngine } from "../support/shared_engine.ts";

const [OWN, OTHER] = Deno.build.arch === "x86_64" ? ["amd64", "arm64"] : ["arm64", "amd64"];

/** Adds the same image for the other platform, and gives both one tag. */
async function addPlatform(registry: ReachableRegistry, repository: string, tag: string): Promise<void> {
  const read = async (path: string) => {
    const answer = await registry.direct(`/v2/${repository}/${path}`, { headers: { accept: ACCEPT } });
    return { text: await answer.text(), type: answer.headers.get("content-type")! };
  };
  const own = await read(`manifests/${tag}`);
  const manifest = JSON.parse(own.text);
  const config = JSON.parse((await read(`blobs/${manifest.config.digest}`)).text);
  const text = JSON.stringify({ ...config, architecture: OTHER });
  const digest = await blob(registry, repository, text);
  const other = JSON.stringify({
    ...manifest,
    config: { ...manifest.config, digest, size: new TextEncoder().encode(text).length },
  });
  const manifests = [];
  for (const [architecture, one] of [[OWN, own.text], [OTHER, other]] as const) {
    const name = await put(registry, repository, `of-${architecture}`, one, own.type);
    const size = new TextEncoder().encode(one).length;
    manifests.push({
      mediaType: own.type,
      digest: name,
      size,
      platform: { os: "linux", architecture },
    });
  }
  await put(
    registry,
    repository,
    tag,
    JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests }),
    INDEX,
  );
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test(
    "An image is pulled for the platform that the file says, also where one for another is held",
    async (engine) => {
      await using registry = await startReachableRegistry({}, engine);
      await pushVersion(engine, registry, "many/app:1", "1");
      await addPlatform(registry, "many/app", "1");
      const reference = `${registry.host}/many/app:1`;
      const web = service("web", `platform: linux/${OTHER}`).replace(FIXTURE, reference);
      await scene(engine, "platforms", project("platforms", [web]), async (scene) => {
        const architecture = async () =>
          (await engine.ask(`GET /images/${reference}/json`)).json.Architecture;
        for (const held of [null, OWN]) {
          if (held !== null) {
            await scene.clear();
            await engine.cli("rmi", "--force", reference);
            await engine.cli("pull", "--platform", `linux/${held}`, reference);
            assert.equal(await architecture(), held);
          }
          await eventually("a pull is planned", async () => {
            const { steps } = await scene.plan();
            return steps.some(({ kind }) => kind === "image.pull") &&
              steps.some(({ kind }) => kind === "container.create");
          });

          const apply = await scene.apply();

          assert.equal(apply.state, "done", apply.reason ?? "");
          assert.equal(await architecture(), OTHER);
          assert.deepEqual((await scene.plan()).steps, []);
        }
        if (kind === "docker" && composeOfToday.missing === null) {
          const before = await scene.ids();
          assert.equal(await composeToday(engine.socket, scene.path, "up", "-d"), "");
          assert.deepEqual(await scene.ids(), before);
        }
      });
      await engine.cli("rmi", "--force", reference).catch(() => {});
    },
    HAS_REGISTRY ? null : "there is no docker-registry",
  );
}
