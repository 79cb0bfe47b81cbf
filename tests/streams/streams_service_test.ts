/** The streams through the whole service: its admission, its keys, its stop. */
import assert from "node:assert/strict";
import { browse } from "../support/browse.ts";
import { FIXTURE } from "../support/engine.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";

const { test } = await sharedEngine("docker");

test("a shell, its events and a followed log run through the whole service, and end with the key", async (engine) => {
  await using berth = await startService({ engines: engineSetting(engine.socket) });
  const made = await berth.call("POST /api/settings/api-keys", { name: "for a while", role: "admin" });
  assert.equal(made.status, 201);
  const id = await engine.cli(
    "run",
    "-d",
    FIXTURE,
    "sh",
    "-c",
    "n=0; while :; do n=$((n+1)); echo $n; sleep 0.05; done",
  );
  await eventually(
    "the container is known",
    async () => (await berth.call(`GET /api/containers/${id}`)).status === 200,
  );

  const shell = browse(berth.url, `/containers/${id}/exec?cmd=sh`, made.body.key);
  await eventually("ready", () => shell.heard.texts.some((text) => text.includes(`"ready"`)));
  assert.equal(shell.wire.protocol, "berth.v1");
  shell.wire.send(new TextEncoder().encode("echo $((6*7))-answer\n"));
  await eventually("an answer", () => shell.heard.output.includes("42-answer"));

  const events = browse(berth.url, "/terminal/compose-logs?logs=true&tail=5", made.body.key);
  await eventually("a greeting and lines", () => events.heard.texts.some((text) => text.includes(`"log"`)));
  const leaving = new AbortController();
  const log = await fetch(`${berth.url}/api/containers/${id}/logs?follow&format=ndjson`, {
    headers: { authorization: `Bearer ${made.body.key}` },
    signal: leaving.signal,
  });
  assert.equal(log.status, 200);
  let told = "";
  const reading = (async () => {
    for await (const chunk of log.body!.pipeThrough(new TextDecoderStream())) told += chunk;
  })();
  await eventually("lines", () => told.includes(`"line":"3"`));

  assert.equal((await berth.call(`DELETE /api/settings/api-keys/${made.body.id}`)).status, 204);
  assert.deepEqual([await shell.closed, await events.closed], [1008, 1008]);
  await reading;
  assert.match(told, /\{"end":\{"reason":"not_allowed"\}\}\n$/);
  await engine.cli("rm", "-f", id);
});

test("nobody without the right reaches a shell: no credential, a viewer, a page from elsewhere", async (engine) => {
  await using berth = await startService({ engines: engineSetting(engine.socket) });
  const viewer = await berth.call("POST /api/settings/api-keys", { name: "viewer", role: "viewer" });
  const ask = (headers: Record<string, string>) =>
    fetch(`${berth.url}/api/containers/x/exec`, {
      headers: {
        upgrade: "websocket",
        connection: "Upgrade",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        ...headers,
      },
    });
  for (
    const [headers, status] of [
      [{}, 401],
      [{ authorization: `Bearer ${viewer.body.key}` }, 403],
      [{ authorization: `Bearer ${viewer.body.key}`, origin: "https://evil.example" }, 403],
    ] as const
  ) {
    const answer = await ask(headers);
    await answer.body?.cancel();
    assert.equal(answer.status, status);
  }
});

function engineSetting(socket: string) {
  return [{ name: "docker", url: `unix://${socket}` }];
}
