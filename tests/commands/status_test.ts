/** `berth status`: a line for each project, and the exit code that a script asks for. */
import assert from "node:assert/strict";
import { type Ended, runBerth } from "../support/berth_process.ts";
import { berthOf, FILES, ONE, type Path, TWO } from "../support/scoped_world.ts";
import type { TestService } from "../support/service.ts";

const ALL = Object.keys(FILES) as Path[];

const status = (berth: TestService, ...args: string[]): Promise<Ended> =>
  runBerth(["status", ...args], { BERTH_URL: berth.url, BERTH_KEY: berth.credential! });

// deno-lint-ignore no-explicit-any -- a test looks into whatever was said
type Row = any;

Deno.test("berth status has a line for each row of the API, in its order, with the field that differs first", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const { items } = (await berth.call("GET /api/projects")).body;
  const shown = await status(berth);
  const lines = shown.stdout.trimEnd().split("\n").map((line) => line.split(/ {2,}/));
  assert.deepEqual(lines[0], ["VERDICT", "PROJECT", "RUNNING", "ENGINE", "REASON"]);
  assert.deepEqual(lines.slice(1).map(([, id]) => id), items.map(({ id }: Row) => id));
  const at = items.findIndex(({ verdict }: Row) => verdict === "differs");
  const { unit, difference: { field, actual, declared } } = items[at].reason;
  assert.equal(lines[at + 1]![0], "differs");
  assert.ok(
    lines[at + 1]!.at(-1)!.startsWith(`${unit}: ${field} is ${actual}, declared is ${declared}`),
    shown.stdout,
  );
  assert.deepEqual(JSON.parse((await status(berth, "--json")).stdout).items, items);
});

Deno.test("berth status answers 4 where berth does not answer, and where the key may not see what runs", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const gone = await runBerth(["status"], { BERTH_URL: "http://127.0.0.1:9", BERTH_KEY: berth.credential! });
  assert.deepEqual([gone.code, gone.stdout], [4, ""]);
  const made = await berth.call("POST /api/settings/api-keys", {
    name: "files alone",
    grants: [{ permissions: ["artifacts:read"] }],
  });
  assert.equal(made.status, 201, made.text);
  for (const args of [[], ["shop@all"]]) {
    const { code, stderr } = await runBerth(["status", ...args], {
      BERTH_URL: berth.url,
      BERTH_KEY: made.body.key,
    });
    assert.deepEqual([code, stderr], [4, "berth: the key may not see what runs: it needs containers:read\n"]);
  }
});

Deno.test("berth status lists the ids that an ambiguous name may mean", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const path = `${berth.folder}/workspaces/other`;
  await Deno.mkdir(`${path}/shop`, { recursive: true });
  await Deno.writeTextFile(`${path}/shop/compose.yaml`, FILES["all/shop/compose.yaml"]);
  assert.equal((await berth.call("POST /api/workspaces", { path })).status, 201);
  const { code, stdout, stderr } = await status(berth, "shop");
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^berth: Several projects are called "shop": use an id: .*\n$/);
  assert.ok(stderr.includes("shop@all") && stderr.includes("shop@other"), stderr);
});

Deno.test("berth status leaves out what people have put aside, and still answers for it by name", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, [], stack);
  const { items } = (await berth.call("GET /api/projects")).body;
  const [{ id }] = items;
  const path = `PUT /api/projects/${encodeURIComponent(id)}/ignored`;
  assert.equal((await berth.call(path, { ignored: true })).status, 204);
  const names = async (...args: string[]) =>
    (await status(berth, "--names", ...args)).stdout.trim().split("\n");
  assert.deepEqual(await names(), items.slice(1).map((row: Row) => row.id));
  assert.deepEqual(await names(id), [id]);
});
