/** Forty shapes of secrets in sound, broken and aliased files: no answer to a viewer and no log holds one of them. */
import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { compose, composeMissing, save, workspace } from "../streams/live_scene.ts";
import { BREAKS, CANARY, fileOf, SHAPES } from "./masked_shapes.ts";
import { around, search } from "./masked_search.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";

function searchLogs(berth: TestService): void {
  for (const line of berth.logged()) assert.ok(!line.includes(CANARY), line);
}

const { test } = await sharedEngine("docker");

test(
  "a viewer sees none of forty shapes of secrets, in sound, broken and aliased files and their containers",
  async (engine) => {
    await using berth = await serveEngines({ docker: engine });
    const callers = { viewer: await berth.key("viewer"), operator: await berth.key("operator") };
    const { viewer } = callers;
    assert.equal(SHAPES.length, 40);
    const { id, path } = await workspace(berth, "shop", fileOf(SHAPES, FIXTURE));
    const old = `${berth.folder}/old/shop`;
    await Deno.mkdir(old, { recursive: true });
    const known = SHAPES.filter(({ isNew }) => isNew !== true);
    await Deno.writeTextFile(`${old}/compose.yaml`, fileOf(known, FIXTURE));
    const file = `${old}/compose.yaml`;
    assert.equal(await compose(engine, path, "-p", "shop", "-f", file, "up", "--no-start", "--no-build"), "");

    let count = 0;
    const states: readonly (readonly [string, string])[] = [
      ["changed", fileOf(SHAPES, FIXTURE).replaceAll(CANARY, `${CANARY}2`)],
      ["aliased", fileOf(SHAPES, FIXTURE, true)],
      ...Object.entries(BREAKS).map(([how, broken]) => [how, broken(fileOf(SHAPES, FIXTURE))] as const),
    ];
    count += await search(callers, id, "sound");
    for (const [index, [what, text]] of states.entries()) {
      await save(berth, id, `${path}/compose.yaml`, text);
      count += await search(callers, id, what);
      const fresh = await workspace(berth, `fresh${index}`, text);
      count += await search(callers, fresh.id, `${what}, never read before`);
    }
    const { body: { items } } = await viewer.call("GET /api/containers");
    assert.equal(items.length, known.length);
    for (const { id } of items) {
      for (const route of [`GET /api/containers/${id}`, `GET /api/containers/${id}?raw=true`]) {
        const answer = await viewer.call(route);
        assert.equal(answer.status, 200, answer.text);
        assert.ok(!answer.text.includes(CANARY), `${route}: ${around(answer.text)}`);
        count++;
      }
    }
    searchLogs(berth);
    console.log(`${SHAPES.length} shapes, ${count} answers: no canary`);
  },
  composeMissing,
);
