/** Servers that never answer: other sources and the copies that are here are worked with meanwhile. */
import assert from "node:assert/strict";
import { Git } from "../../git/process.ts";
import { Polling } from "../../git/polling.ts";
import { eventually } from "../support/eventually.ts";
import { hasGit } from "../support/git_server.ts";
import { sourceOf } from "../store/store_sources_contract.ts";

Deno.test({
  name: "calls of git to servers that never answer hold up no call that needs none",
  ignore: !hasGit(),
}, async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) connections.push(connection);
  })();
  const git = new Git({ PATH: Deno.env.get("PATH")! });
  const over = new AbortController();
  const mute = [1, 2, 3].map(() =>
    git.run({
      args: ["ls-remote", "--", `http://127.0.0.1:${listener.addr.port}/home.git`],
      folder: "/nowhere",
      timeoutMs: 60_000,
      most: 1_000,
      config: [["protocol.http.allow", "always"]],
      signal: over.signal,
      isRemote: true,
    })
  );
  await eventually("two calls wait for the server", () => Promise.resolve(connections.length === 2 || null));

  assert.match(await git.version() ?? "", /^\d+\.\d+/);

  assert.equal(connections.length, 2, "and no more at once");
  over.abort();
  assert.deepEqual((await Promise.all(mute)).map(({ ended }) => ended), ["aborted", "aborted", "aborted"]);
  for (const connection of connections) connection.close();
  listener.close();
  await accepting;
});

Deno.test("a check that does not end holds up no other source, and no policy or interrupted sync", async () => {
  const { promise: answer, resolve: end } = Promise.withResolvers<void>();
  const syncing = { from: null, to: "b", inPlace: [], keep: [], overwrite: {} };
  const todo = { groups: [], isTried: false };
  const records = [sourceOf("mute"), sourceOf("one"), sourceOf("two", { policy: "auto", todo })];
  const seen = new Set<string>();
  const polling = new Polling({
    list: () =>
      Promise.resolve([...records, ...seen.has("check two") ? [sourceOf("left", { syncing })] : []]),
    check: async (workspace) => {
      if (workspace === "mute") await answer;
      seen.add(`check ${workspace}`);
    },
    resume: (workspace) => Promise.resolve(void seen.add(`resume ${workspace}`)),
    act: (workspace) => void seen.add(`act ${workspace}`),
    turn: () => Promise.resolve(true),
    log: { warn: assert.fail } as never,
    now: Date.now,
  });
  try {
    await eventually("the others were seen to", () => Promise.resolve(seen.has("resume left") || null));

    assert.deepEqual([...seen].sort(), ["act two", "check one", "check two", "resume left"]);
  } finally {
    end();
    await polling[Symbol.asyncDispose]();
  }
});
