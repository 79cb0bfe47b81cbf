/** `berth registries` beside a real registry: a password comes by standard input, and goes to nobody unasked. */
import assert from "node:assert/strict";
import { runBerth } from "../support/berth_process.ts";
import { HAS_REGISTRY, startReachableRegistry } from "../support/reachable_registry.ts";
import { ACCOUNT } from "../support/registry.ts";
import { startService } from "../support/service.ts";

Deno.test({
  name: "berth registries adds a registry with a password of standard input, lists it and forgets it",
  ignore: !HAS_REGISTRY,
  fn: async () => {
    await using registry = await startReachableRegistry({ account: "tokens" });
    await using berth = await startService();
    const { host, tokenService } = registry;
    const run = (args: readonly string[], input: string | null = null) =>
      runBerth(
        ["registries", ...args],
        { BERTH_URL: berth.url, BERTH_KEY: berth.credential! },
        input === null ? null : new TextEncoder().encode(input),
      );
    const add = ["add", `${host}/team`, "--user", ACCOUNT.username, "--plain-http"];

    const unconfirmed = await run(add, `${ACCOUNT.password}\n`);
    assert.equal(unconfirmed.code, 1);
    assert.match(unconfirmed.stderr, new RegExp(`--token-service ${tokenService}`));
    assert.deepEqual(registry.tokensAsked, []);
    const wrong = await run([...add, "--token-service", tokenService], "wrong\n");
    assert.deepEqual([wrong.code, wrong.stdout], [1, ""]);
    assert.match(wrong.stderr, /does not accept these credentials/);
    assert.deepEqual([(await run([])).stdout, (await run(["forget", host])).code], ["", 1]);
    assert.deepEqual((await run(["add"])).code, 64);

    const added = await run([...add, "--token-service", tokenService], `${ACCOUNT.password}\n`);
    assert.deepEqual([added.code, added.stdout], [0, `Stored ${host}/team\n`], added.stderr);
    const listed = await run([]);
    assert.match(
      listed.stdout,
      new RegExp(`${host}/team +as ${ACCOUNT.username} +without TLS +${tokenService}`),
    );
    const [shown] = JSON.parse((await run(["--json"])).stdout);
    assert.deepEqual([shown.path, shown.login], ["team", "password"]);
    for (const { stdout, stderr } of [unconfirmed, wrong, added, listed]) {
      assert.ok(!(stdout + stderr).includes(ACCOUNT.password));
    }

    assert.deepEqual((await run(["forget", `${host}/team`])).stdout, `Forgot ${host}/team\n`);
    assert.equal((await berth.call("GET /api/registries")).body.total, 0);
  },
});
