/** A caller without a valid credential may ask 50 times a second in bursts of 200, and nobody else waits for that. */
import assert from "node:assert/strict";
import { MovableClock } from "../support/access_service.ts";
import { AS_REPLICAS } from "../support/chosen_store.ts";
import { startService } from "../support/service.ts";

/** Caddy asks each replica whether it is ready, from the address of these strangers, and that counts. */
const test = (name: string, fn: () => Promise<void>) => Deno.test({ name, fn, ignore: AS_REPLICAS });

const flood = (n: number, one: () => Promise<{ status: number }>) =>
  Promise.all(Array.from({ length: n }, async () => (await one()).status));

const count = (statuses: number[], status: number) => statuses.filter((one) => one === status).length;

/** Time stands still, so that no try comes back while they are counted. */
class StoppedClock extends MovableClock {
  readonly #since = performance.now();
  #moved = 0;
  override monotonic = () => this.#since + this.#moved;
  override move(ms: number): void {
    super.move(ms);
    this.#moved += ms;
  }
}

const NO_KEY = `Bearer berth_0123456789abcdef_${"a".repeat(43)}`;

for (
  const [what, path, refusal, headers] of [
    ["no credential", "/api/workspaces", 401, {}],
    ["a bad credential", "/api/workspaces", 401, { authorization: "Bearer rubbish" }],
    ["no credential where none is needed", "/api/health", 200, {}],
    ["a bad credential where none is needed", "/api/health", 200, { authorization: "Bearer rubbish" }],
    ["no credential that one could read where none is needed", "/api/openapi.json", 200, {
      authorization: "x",
    }],
    ["a key that is none at the status of a sign-in", "/api/auth/status", 200, { authorization: NO_KEY }],
    ["no credential at a route that is not there", "/api/nowhere", 404, {}],
    ["a bad credential at a route that is not there", "/api/nowhere", 404, { authorization: "x" }],
  ] as const
) {
  test(`Requests with ${what} are answered 200 times, then 429 until tries come back (F48)`, async () => {
    const clock = new StoppedClock();
    await using berth = await startService({ clock, strangersPerSecond: 50, install: [] });
    const ask = () => berth.anonymous().call(`GET ${path}`, undefined, { headers });

    const statuses = await flood(230, ask);

    assert.deepEqual([count(statuses, refusal), count(statuses, 429)], [200, 30]);
    const limited = await ask();
    assert.deepEqual([limited.status, limited.body.code], [429, "too_many_requests"]);
    assert.match(limited.headers.get("retry-after") ?? "", /^\d+$/);
    assert.equal(
      (await berth.call("GET /api/workspaces")).status,
      200,
      "from the same address, with a good one",
    );
    clock.move(1_010);
    assert.equal(count(await flood(60, ask), refusal), 50, "50 come back in a second");
  });
}

test("Who has a good credential is never limited with the strangers, a refresh token and a sign-in included", async () => {
  const clock = new StoppedClock();
  await using berth = await startService({ clock, strangersPerSecond: 1, setup: false, install: [] });
  const password = "a long enough secret";
  const made = await berth.anonymous().call("POST /api/settings/setup", {
    token: berth.berth.access.setupToken,
    name: "Ada",
    password,
  });
  assert.equal(made.status, 200);
  const statuses = await flood(50, () => berth.anonymous().call("GET /api/workspaces"));
  assert.equal(count(statuses, 429), 46);
  const good = await flood(300, () => berth.as(made.body.accessToken).call("GET /api/workspaces"));
  assert.equal(count(good, 200), 300);
  const open = await flood(50, () => berth.as(made.body.accessToken).call("GET /api/health"));
  assert.equal(count(open, 429), 0, "where none is needed");
  const { refreshToken } = made.body;
  assert.equal((await berth.anonymous().call("POST /api/auth/refresh", { refreshToken })).status, 200);
  assert.equal(
    (await berth.anonymous().call("POST /api/auth/password", { name: "Ada", password })).status,
    200,
  );
});
