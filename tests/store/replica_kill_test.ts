/** Promise: whichever replica is killed in the middle of refreshes, each is done once and no session is lost. */
import assert from "node:assert/strict";
import { randomSecret } from "../../auth/secret.ts";
import { type BerthProcess, startBerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { TestCaller } from "../support/service.ts";

/** `BERTH_TEST_KILLS=50` for the whole proof. */
const KILLS = Number(Deno.env.get("BERTH_TEST_KILLS") ?? "2");
const CLIENTS = 6;
/** As long as a lost answer is given again; a busy machine may take longer to ask for it. */
const GRACE_MS = 10_000;
const server = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null!;

Deno.test({
  name:
    `${KILLS} kills of replicas in the middle of refreshes lose no session, and no token has two successors (F41)`,
  ignore: CANNOT_RUN_POSTGRES !== null,
  async fn() {
    await using stack = new AsyncDisposableStack();
    const folder = await Deno.makeTempDir({ prefix: "berth-kills-" });
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    const { name } = await server.database();
    const sealingKey = `${folder}/sealing-key`;
    await Deno.writeTextFile(sealingKey, randomSecret(), { mode: 0o600 });
    const replica = (name_: string) =>
      startBerthProcess({
        data: `${folder}/${name_}`,
        env: {
          BERTH_DATABASE_URL: server.url(name),
          BERTH_SEALING_KEY_FILE: sealingKey,
          BERTH_REPLICA: name_,
        },
      });
    const replicas: BerthProcess[] = [await replica("one"), await replica("two")];
    stack.defer(async () => {
      for (const one of replicas) await one[Symbol.asyncDispose]();
    });
    const at = (which: number) => new TestCaller(replicas[which]!.url, null);
    const key = await replicas[0]!.setUp();

    let stop = false;
    let refreshes = 0;
    let unanswered = 0;
    const clients = Array.from({ length: CLIENTS }, async (_, number) => {
      const open = async () => {
        const { body } = await eventually("a session is opened", async () => {
          const answer = await at(number % 2).call("POST /api/auth/key", { key }).catch(() => null);
          return answer?.status === 200 ? answer : null;
        });
        return body.refreshToken as string;
      };
      let refreshToken = await open();
      while (!stop) {
        const began = performance.now();
        const given = await Promise.all([0, 1].map(async (which) => {
          for (let turn = which;; turn += 1) {
            const answer = await at(turn % 2).call("POST /api/auth/refresh", { refreshToken }).catch(() =>
              null
            );
            if (answer !== null && answer.status < 500 && answer.status !== 429) return answer;
            unanswered += 1;
            await new Promise((resolve) => setTimeout(resolve, answer?.status === 429 ? 1_000 : 50));
          }
        }));
        if (performance.now() - began > GRACE_MS / 2) refreshToken = await open(); // it may be over
        else {
          assert.deepEqual(
            given.map(({ status }) => status),
            [200, 200],
            given.map(({ text }) => text).join(),
          );
          const [one, other] = given.map(({ body }) => body.refreshToken as string);
          assert.equal(one, other, "both were given the same successor");
          refreshToken = one!;
          refreshes += 1;
          await new Promise((resolve) => setTimeout(resolve, 300)); // an address has its limits
        }
      }
    });
    const working = Promise.all(clients);
    const killing = (async () => {
      for (let kill = 0; kill < KILLS; kill += 1) {
        const before = refreshes;
        await eventually("they refresh", () => refreshes >= before + CLIENTS);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
        const which = kill % 2;
        await replicas[which]!.end("SIGKILL");
        replicas[which] = await replica(["one", "two"][which]!);
      }
      stop = true;
    })();
    await Promise.race([Promise.all([working, killing]), working.then(() => killing)]);

    assert.ok(unanswered > 0, "somebody was not answered");
    const lost = await server.sql(
      "SELECT id FROM sessions s WHERE generation <> (SELECT max(generation) FROM refresh_tokens WHERE session_id = s.id)",
      name,
    );
    assert.deepEqual(lost, [], "each session's newest token is the one that counts");
  },
});
