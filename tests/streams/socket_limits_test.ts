/** The sockets of measurements and merged logs that one caller may hold, through the whole service. */
import assert from "node:assert/strict";
import { browse } from "../support/browse.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";

const MOST = 128;
const { test } = await sharedEngine("docker");

test("One caller holds 128 sockets of merged logs and of measurements, and others are let in", async (engine) => {
  const id = (await engine.cli("run", "-d", "--network", "none", FIXTURE, "idle")).trim();
  await using berth = await serveEngines({ docker: engine });
  const keyOf = async (name: string): Promise<string> =>
    (await berth.call("POST /api/settings/api-keys", { name, role: "viewer" })).body.key;
  const [greedy, other] = [await keyOf("greedy"), await keyOf("other")];
  await eventually("the container is known", async () => {
    return (await berth.call(`GET /api/containers/${id}`)).status === 200;
  });
  for (const path of ["/terminal/compose-logs", `/containers/${id}/stats`]) {
    const held = Array.from({ length: MOST }, () => browse(berth.url, path, greedy));
    await eventually("all are open", () => held.every(({ wire }) => wire.readyState === WebSocket.OPEN));

    const refused = browse(berth.url, path, greedy);
    assert.ok([0, 1006].includes(await refused.closed), `${path}: one more is refused before its 101`);
    assert.deepEqual(refused.heard.texts, []);
    const beside = browse(berth.url, path, other);
    await eventually("another caller is let in", () => beside.wire.readyState === WebSocket.OPEN);
    held[0]!.wire.close(); // there are 128
    await held[0]!.closed;
    await eventually("a place is free", async () => {
      const next = browse(berth.url, path, greedy);
      const isIn = await Promise.race([
        next.closed.then(() => false),
        eventually("it opens", () => next.wire.readyState === WebSocket.OPEN).catch(() => false),
      ]);
      held.push(next);
      return isIn;
    });
    for (const { wire } of [...held, beside]) wire.close();
    await Promise.all([...held, beside].map(({ closed }) => closed));
  }
  await engine.cli("rm", "-f", id);
});
