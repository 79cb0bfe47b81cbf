/** The cost for an engine of following a container that crashes and is started again, over and over. */
import assert from "node:assert/strict";
import { Sights } from "../../core/sight.ts";
import { NO_OWNER } from "../support/no_owner.ts";
import { Backends } from "../../engines/links/backends.ts";
import { staysSeen } from "../support/one_engine.ts";
import { findLiveIn } from "../../plugins/containers/backends/live_container.ts";
import { logRoutes } from "../../plugins/containers/logs/routes.ts";
import { awakenBy } from "../../plugins/containers/logs/awaken.ts";
import { StreamLimit } from "../../plugins/containers/backends/stream_limit.ts";
import { FIXTURE } from "../support/engine.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { SILENT } from "../support/silent_log.ts";
import { StreamService } from "../support/stream_service.ts";

const { test } = await sharedEngine("docker");
const LIVES = 5;

test("a container that crashes over and over is followed through every life, and asked for only when one begins", async (real) => {
  await using backends = Backends.configured([{
    name: "docker",
    guess: "docker",
    address: { kind: "unix", path: real.socket },
  }], SILENT);
  await backends.settle();
  let looks = 0;
  const awaken = awakenBy(backends.feed);
  await using berth = new StreamService(logRoutes({
    find: findLiveIn({ backends, sights: new Sights(NO_OWNER) }),
    whileSeen: staysSeen,
    streamLimit: new StreamLimit(),
    // Registered once each time that the log has come to an end
    awaken: (id, wake) => {
      looks++;
      return awaken(id, wake);
    },
  }));
  const id = await real.cli("run", "-d", "--restart", "always", FIXTURE, "sh", "-c", "echo alive; exit 1");
  const response = await berth.get(`/containers/${id}/logs?follow`);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let told = "";
  const hearLife = async (life: number) => {
    while (told.split("alive").length <= life) {
      const { value, done } = await reader.read();
      assert.equal(done, false, `ended behind ${told}`);
      told += value;
    }
  };
  await hearLife(LIVES);
  await eventually("it waits for its next start", async () => {
    return (await real.ask(`GET /containers/${id}/json`)).json.State.Status === "restarting";
  });
  const before = looks;
  await hearLife(LIVES + 1); // seconds later
  assert.ok(looks - before <= 10, `${looks - before} looks between two lives`);
  await reader.cancel();
  await real.cli("rm", "-f", id);
});
