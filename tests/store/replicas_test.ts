/** Two real replicas on one PostgreSQL behind the Caddyfile that is shipped for them. */
import assert from "node:assert/strict";
import { randomSecret } from "../../auth/secret.ts";
import { readSealingKey } from "../../auth/sealing/key.ts";
import { type BerthProcess, runBerth, startBerthProcess } from "../support/berth_process.ts";
import { CANNOT_RUN_CADDY, startCaddy } from "../support/caddy.ts";
import { eventually } from "../support/eventually.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { type Answer, startService, TestCaller } from "../support/service.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { within } from "../support/within.ts";
import { freePort } from "../support/free_port.ts";
import { PROMISED } from "../proof/promised.ts";

const server = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null!;

interface Pair extends AsyncDisposable {
  /** Asks through Caddy. */
  readonly front: TestCaller;
  readonly replicas: readonly BerthProcess[];
  readonly folder: string;
}

async function startPair(): Promise<Pair> {
  const stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "berth-pair-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const { name } = await server.database();
  const port = freePort();
  await Deno.writeTextFile(`${folder}/sealing-key`, randomSecret(), { mode: 0o600 });
  const [one, two] = [freePort(), freePort()];
  const started = [["one", one], ["two", two]] as const;
  const replicas = await Promise.all(started.map(async ([replica, own]) =>
    stack.use(
      await startBerthProcess({
        env: {
          BERTH_DATABASE_URL: server.url(name),
          BERTH_SEALING_KEY_FILE: `${folder}/sealing-key`,
          BERTH_REPLICA: replica,
          BERTH_PORT: `${own}`,
          BERTH_BASE_URL: `http://127.0.0.1:${port}`,
          BERTH_TRUSTED_PROXIES: "127.0.0.1",
        },
      }),
    )
  ));
  stack.use(await startCaddy(port, [one, two]));
  const front = new TestCaller(`http://127.0.0.1:${port}`, null);
  return { front, replicas, folder, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function ok(answer: Promise<Answer>, status = 200): Promise<Answer["body"]> {
  const got = await answer;
  assert.equal(got.status, status, got.text);
  return got.body;
}

Deno.test({
  name:
    "Two replicas behind Caddy are one berth: one setup, one sign-in, and what one revokes ends at the other (F96)",
  ignore: CANNOT_RUN_POSTGRES !== null || CANNOT_RUN_CADDY !== null,
  async fn() {
    await using pair = await startPair();
    const { front, replicas } = pair;

    // One of them has printed the token, and the other one says who.
    const [printed, silent] = [...replicas].sort(({ stdout }) => /#setup=/.test(stdout) ? -1 : 1);
    const token = /#setup=(\S+)/.exec(printed!.stdout)?.[1];
    const name = printed === replicas[0] ? "one" : "two";
    assert.match(silent!.stdout, new RegExp(`token that the replica ${name} has printed`));
    const { key } = await ok(front.call("POST /api/settings/setup", { token, name: "me" }), 201);
    const admin = new TestCaller(front.url, key);
    for (let n = 0; n < 4; n++) {
      assert.deepEqual(await ok(front.call("GET /api/settings/setup-required")), { setupRequired: false });
      assert.equal((await ok(admin.call("GET /api/auth/me"))).role, "admin");
    }

    const seen = await Promise.all([1, 2].map(() => ok(admin.call("GET /api/system/replicas"))));
    for (const { items, total } of seen) {
      assert.deepEqual([total, items.map((one: { name: string }) => one.name).sort()], [2, ["one", "two"]]);
    }
    const answering = seen.map(({ items }) => items.find((one: { self: boolean }) => one.self).name);
    assert.deepEqual(answering.sort(), ["one", "two"], "each answered once");

    // Replicas read what another one wrote.
    const password = "correct horse battery staple";
    const { passwordToken } = await ok(
      admin.call("POST /api/settings/people", { name: "ada", role: "operator" }),
      201,
    );
    await ok(front.call("POST /api/auth/password-link", { token: passwordToken, password }));
    let { accessToken, refreshToken } = await ok(
      front.call("POST /api/auth/password", { name: "ada", password }),
    );
    for (let n = 0; n < 10; n++) {
      ({ accessToken, refreshToken } = await ok(front.call("POST /api/auth/refresh", { refreshToken })));
      assert.equal((await ok(new TestCaller(front.url, accessToken).call("GET /api/auth/me"))).name, "ada");
    }

    // Streams at both of them, of a key and of a session, end when Caddy's next turn revokes them.
    const watcher = await ok(
      admin.call("POST /api/settings/api-keys", { name: "w", permissions: ["system:logs"] }),
      201,
    );
    const streams = await Promise.all([1, 2].map(async () => {
      const response = await new TestCaller(front.url, watcher.key).fetch("GET /api/system/logs?follow=true");
      assert.equal(response.status, 200);
      const ended = (async () => {
        for await (const _ of response.body!);
      })().catch(() => {});
      const stream = { isOver: false };
      ended.then(() => stream.isOver = true);
      return stream;
    }));
    await ok(admin.call(`DELETE /api/settings/api-keys/${watcher.id}`), 204);
    await within(PROMISED.revoked, "the streams end at both", () => streams.every(({ isOver }) => isOver));
    for (let n = 0; n < 2; n++) {
      assert.equal((await new TestCaller(front.url, watcher.key).call("GET /api/auth/me")).status, 401);
    }

    // One dies, and the other one goes on with all that was told to either.
    replicas[0]!.child.kill("SIGKILL");
    await eventually("Caddy has noticed", async () => {
      const four = await Promise.all([1, 2, 3, 4].map(() => admin.call("GET /api/auth/me")));
      return four.every(({ status }) => status === 200);
    });
    ({ accessToken, refreshToken } = await ok(front.call("POST /api/auth/refresh", { refreshToken })));
    await ok(admin.call("POST /api/settings/api-keys", { name: "after", role: "viewer" }), 201);
    const { items } = await ok(admin.call("GET /api/system/audit?limit=100"));
    const actions = items.map(({ action, result }: Record<string, string>) => `${action} ${result}`);
    for (const action of ["POST /api/settings/setup", "DELETE /api/settings/api-keys/{id}"]) {
      assert.equal(actions.filter((one: string) => one === `${action} done`).length, 1, actions.join("\n"));
    }
    const log = await Deno.readTextFile(`${replicas[1]!.data}/berth.log`);
    for (const line of log.trim().split("\n")) assert.equal(JSON.parse(line).replica, "two", line);
    assert.deepEqual(replicas.map(({ stderr }) => /was not caught|without a handler/.test(stderr)), [
      false,
      false,
    ]);
  },
});

Deno.test({
  name: "A replica whose clock is a minute ahead takes over nothing that another one is doing",
  ignore: CANNOT_RUN_POSTGRES !== null,
  async fn() {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-ahead-" }));
    const sealingKeyFile = `${folder}/sealing-key`;
    await Deno.writeTextFile(sealingKeyFile, randomSecret(), { mode: 0o600 });
    const clock = { now: () => Date.now() + 60_000, monotonic: () => performance.now() };
    try {
      await using berth = await startService({
        folder,
        database: await server.database(),
        sealingKeyFile,
        clock,
      });
      const { applies } = berth.berth.store;
      const now = await applies.now!();
      assert.ok(Math.abs(now - Date.now()) < 30_000, "it is the database's");
      const apply = (id: string, leaseUntil: number) =>
        applies.add({
          ...{ id, workspace: "w", group: id, project: id, backend: "docker", credential: null },
          ...{
            work: JSON.stringify({ plan: { id, steps: [] } }),
            createdAt: now,
            owner: "another",
            leaseUntil,
          },
          by: { kind: "apiKey", id: "k", name: "k" },
        }, ENTRY);
      await apply("held", now + 30_000);
      await apply("lost", now - 1);
      await eventually(
        "what was lost is taken over",
        async () => (await applies.get("lost"))?.owner !== "another",
      );
      assert.equal((await applies.get("held"))?.owner, "another");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("packaging/berth-postgres/compose.yaml has no finding once its own lines have made the secrets", async () => {
  const folder = await Deno.makeTempDir({ prefix: "berth-compose-" });
  try {
    const shipped = new URL("../../packaging/berth-postgres/", import.meta.url);
    const text = await Deno.readTextFile(new URL("compose.yaml", shipped));
    await Deno.writeTextFile(`${folder}/compose.yaml`, text);
    await Deno.copyFile(new URL("Caddyfile", shipped), `${folder}/Caddyfile`);
    const [first = ""] = text.split("docker compose up"); // what follows is for a user of one's own
    const lines = first.split("\n").filter((line) => /^# {3}(mkdir|head|chmod)/.test(line)).map((line) =>
      line.slice(4)
    );
    assert.equal(lines.length, 4);
    const script = lines.join("\n").replace(/ && sudo chown .*/, ""); // which takes root
    const made = await new Deno.Command("sh", { args: ["-euc", script], cwd: folder }).output();
    assert.equal(made.code, 0, new TextDecoder().decode(made.stderr));
    await readSealingKey(`${folder}/secrets/sealing-key`, "refuse");

    const { code, stdout } = await runBerth(["validate", folder]);
    assert.deepEqual([code, stdout.trim()], [
      0,
      "valid: no findings in 1 file, 1 group, 4 units, 16 edges; 2 silenced",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
