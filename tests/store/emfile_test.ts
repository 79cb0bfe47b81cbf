/** Promise: running out of file descriptors ends nothing (R7, F2). */
import assert from "node:assert/strict";
import { startBerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { within } from "../support/within.ts";
import { PROMISED } from "../proof/promised.ts";

Deno.test("400 connections on 256 descriptors: the same process serves again, and its open stream goes on (F2, R7)", async () => {
  await using berth = await startBerthProcess({ descriptors: 256 });
  const token = (await Deno.readTextFile(`${berth.data}/setup-token`)).trim();
  const setup = await fetch(`${berth.url}/api/settings/setup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, name: "me" }),
  });
  const { key } = await setup.json();
  const stream = await fetch(`${berth.url}/api/system/logs?follow=true&lines=0`, {
    headers: { authorization: `Bearer ${key}` },
  });
  let followed = "";
  const reading = (async () => {
    for await (const text of stream.body!.pipeThrough(new TextDecoderStream())) followed += text;
  })();
  reading.catch((error) => followed += `\nthe stream broke: ${error}\n${berth.stderr}`);

  const crowd: Deno.TcpConn[] = [];
  for (let n = 0; n < 400; n++) {
    try {
      crowd.push(await Deno.connect({ hostname: "127.0.0.1", port: berth.port }));
    } catch {
      break; // The backlog is full, which is as crowded as it gets.
    }
  }
  const port = berth.port;
  await eventually(
    "the listener fails for want of descriptors",
    () => berth.stderr.includes("is opened again"),
  );
  for (const connection of crowd) connection.close();

  const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const health = await within(PROMISED.servedAgain, "it serves again", async () => {
    const response = await fetch(`http://127.0.0.1:${port}/api/health`, {
      client,
      signal: AbortSignal.timeout(5_000),
    });
    return await response.json();
  });
  client.close();

  assert.equal(health.status, "ok");
  const marker = "/api/after-the-crowd";
  await (await fetch(`${berth.url}${marker}`)).body?.cancel();
  await eventually("the stream that was open shows what came after", () => {
    assert.ok(!followed.includes("the stream broke"), followed.slice(-2_000));
    return followed.includes(marker);
  });
  assert.equal((await berth.end()).code, 0);
  await reading.catch(() => {});
});
