/** The Caddyfile that is shipped for two replicas, while their database is away and while one of them hangs. */
import assert from "node:assert/strict";
import { randomSecret } from "../../auth/secret.ts";
import { type BerthProcess, startBerthProcess } from "../support/berth_process.ts";
import { CANNOT_RUN_CADDY, startCaddy } from "../support/caddy.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free_port.ts";
import { CANNOT_RUN_POSTGRES, PostgresServer } from "../support/postgres.ts";
import { TestCaller } from "../support/service.ts";
import { within } from "../support/within.ts";
import { PROMISED } from "../proof/promised.ts";

/** Longer than Caddy takes to find that no replica is ready. */
const NOTICED_MS = 6_000;

function test(name: string, work: () => Promise<void>): void {
  Deno.test({ name, ignore: CANNOT_RUN_POSTGRES !== null || CANNOT_RUN_CADDY !== null, fn: work });
}

interface Pair extends AsyncDisposable {
  readonly database: PostgresServer;
  readonly replicas: readonly BerthProcess[];
  /** The admin, through Caddy. */
  readonly admin: TestCaller;
}

async function startPair(): Promise<Pair> {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await PostgresServer.start());
  const { name } = await database.database();
  const folder = await Deno.makeTempDir({ prefix: "berth-pair-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  await Deno.writeTextFile(`${folder}/sealing-key`, randomSecret(), { mode: 0o600 });
  const [port, one, two] = [freePort(), freePort(), freePort()];
  const replicas: BerthProcess[] = [];
  for (const own of [one, two]) {
    const env = {
      BERTH_DATABASE_URL: database.url(name),
      BERTH_SEALING_KEY_FILE: `${folder}/sealing-key`,
      BERTH_PORT: `${own}`,
      BERTH_BASE_URL: `http://127.0.0.1:${port}`,
      BERTH_TRUSTED_PROXIES: "127.0.0.1",
    };
    replicas.push(stack.use(await startBerthProcess({ env })));
  }
  stack.use(await startCaddy(port, [one, two])); // by turns
  const key = await replicas[0]!.setUp();
  const admin = new TestCaller(`http://127.0.0.1:${port}`, key);
  return { database, replicas, admin, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test("while PostgreSQL is away, callers behind Caddy get berth's own sentence (F121)", async () => {
  await using pair = await startPair();
  const { database, admin } = pair;
  await database.down();
  await eventually(
    "no replica is ready",
    async () => (await admin.call("GET /api/health/ready")).status === 503,
  );
  const began = performance.now();
  for (let call = 0; performance.now() - began < NOTICED_MS; call++) {
    const [read, change] = await Promise.all([
      admin.call("GET /api/settings/api-keys"),
      admin.call("POST /api/settings/api-keys", { name: `k${call}`, role: "viewer" }),
    ]);
    for (const { status, body, text } of [read, change]) {
      assert.deepEqual([status, body?.code], [503, "store_unavailable"], text);
      assert.match(body.title, /^Cannot use the store: .*database/);
    }
  }
  await database.up();
  await within(
    5_000,
    "a change is taken",
    async () =>
      (await admin.call("POST /api/settings/api-keys", { name: "after", role: "viewer" })).status === 201,
  );
});

test("a replica that hangs delays a read by at most three seconds, and after that nobody (F121)", async () => {
  await using pair = await startPair();
  const { admin, replicas } = pair;
  const { pid } = replicas[0]!;
  Deno.kill(pid, "SIGSTOP");
  try {
    const reads = Array.from(
      { length: 10 },
      () => within(PROMISED.delayed, "it is answered", () => admin.call("GET /api/settings/api-keys")),
    );
    for (const { status, text } of await Promise.all(reads)) assert.equal(status, 200, text);
    for (let call = 0; call < 20; call++) {
      const made = await within(
        PROMISED.delayed,
        "a change is taken",
        () => admin.call("POST /api/settings/api-keys", { name: `k${call}`, role: "viewer" }),
      );
      assert.equal(made.status, 201, made.text);
    }
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
  const { body } = await admin.call("GET /api/settings/api-keys");
  assert.equal(body.items.length, 21, "each change was made once");
});
