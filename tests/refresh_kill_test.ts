/** Promise: whoever lost the answer of a refresh because berth died asks again, and is still signed in. */
import assert from "node:assert/strict";
import { ON_SQLITE } from "./chosen_store.ts";
import { startService, TestCaller } from "./service.ts";

const ACTOR = new URL("refresh_actor.ts", import.meta.url).pathname;

Deno.test({
  name: "a refresh whose berth is killed between its commit and its answer succeeds again, once (F41)",
  ignore: !ON_SQLITE, // the other process has a database of its own
  async fn() {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-refresh-" }));
    try {
      const actor = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", ACTOR, folder],
        stdin: "null",
        stdout: "piped",
        stderr: "inherit",
      }).spawn();
      const said = actor.stdout.pipeThrough(new TextDecoderStream()).getReader();
      const [url = "", key = ""] = ((await said.read()).value ?? "").trim().split(" ");
      const caller = new TestCaller(url, null);
      const { body: opened } = await caller.call("POST /api/auth/key", { key });
      const { refreshToken } = opened;
      await assert.rejects(caller.call("POST /api/auth/refresh", { refreshToken }));
      const killedAt = Date.now();
      assert.equal((await actor.status).signal, "SIGKILL");
      await said.cancel();

      // The grace counts from the kill, and a busy machine may start late
      const clock = { now: () => killedAt, monotonic: () => performance.now() };
      await using berth = await startService({ folder, admin: key, clock });
      const anonymous = berth.anonymous();
      const again = await anonymous.call("POST /api/auth/refresh", { refreshToken });
      assert.equal(again.status, 200, again.text);
      assert.notEqual(again.body.refreshToken, refreshToken);
      assert.equal((await berth.as(again.body.accessToken).call("GET /api/auth/me")).status, 200);
      const next = await anonymous.call("POST /api/auth/refresh", { refreshToken: again.body.refreshToken });
      assert.equal(next.status, 200, next.text);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
