/** Forty shapes of secrets in sound, broken and aliased files: no answer to a viewer and no log holds one of them. */
import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { compose, composeMissing, save, workspace } from "../streams/live_scene.ts";
import { BREAKS, CANARY, fileOf, SHAPES } from "./masked_shapes.ts";
import { serveEngines, type TestCaller, type TestService } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";

/** Callers who may not reveal secrets; a plan takes more than a viewer may. */
interface Callers {
  readonly viewer: TestCaller;
  readonly operator: TestCaller;
}

/** Asks everything that shows something of a workspace, and returns how many answers were searched. */
async function search({ viewer, operator }: Callers, id: string, what: string): Promise<number> {
  const base = `/api/workspaces/${id}`;
  const list = await viewer.call(`GET ${base}/artifacts`);
  const items: readonly { kind: string; name: string }[] = list.body.items;
  const routes = [
    `GET ${base}`,
    `GET ${base}/files/compose.yaml`,
    `GET ${base}/artifacts/dag`,
    `GET ${base}/artifacts/dag?format=mermaid`,
    `GET ${base}/artifacts/dag?format=dot`,
    `POST ${base}/artifacts/validate`,
    `POST ${base}/artifacts/validate?format=sarif`,
    "GET /api/overview",
    ...items.map(({ kind, name }) => `GET ${base}/artifacts/${kind}s/${name}`),
    ...items.filter(({ kind }) => kind === "group").map(({ name }) =>
      `POST ${base}/artifacts/groups/${name}/plan`
    ),
  ];
  for (const route of routes) {
    const isPlan = route.endsWith("/plan");
    const answer = await (isPlan ? operator : viewer).call(route, isPlan ? {} : undefined);
    assert.ok(answer.status < 300, `${what}: ${route}: ${answer.text}`);
    assert.ok(!answer.text.includes(CANARY), `${what}: ${route}: ${around(answer.text)}`);
  }
  assert.ok(!list.text.includes(CANARY), `${what}: the list: ${around(list.text)}`);
  return routes.length + 1;
}

const around = (text: string): string => {
  const at = text.indexOf(CANARY);
  return text.slice(Math.max(0, at - 300), at + 100);
};

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
