/** The last words of a container that an apply keeps: its log's end and what its health check said. */
import assert from "node:assert/strict";
import { lastWords } from "../../plugins/containers/acts/last_words.ts";
import { Engine } from "../../engines/calls/engine.ts";
import { scriptedId, ScriptedWorld } from "../support/scripted_world.ts";

Deno.test("lastWords() masks secrets in the log and in what the health check said", async () => {
  const id = scriptedId(1);
  const frame = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    return new Uint8Array([1, 0, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
  };
  await using world = new ScriptedWorld({
    containers: new Map([[id, {
      Id: id,
      State: {
        Health: { Log: [{ Output: "GET http://ada:hunter2@shop/health failed, token=abc123def456" }] },
      },
    }]]),
    override: (_, path) =>
      path.endsWith("/logs") ? new Response(frame("DB_PASSWORD=hunter2 refused\n")) : undefined,
  });
  using engine = new Engine("one", { kind: "unix", path: world.socket });

  const words = (await lastWords(engine, id, 10)).join("\n");

  assert.match(words, /DB_PASSWORD=.* refused\nhealth check: GET http:.*shop\/health failed/);
  assert.doesNotMatch(words, /hunter2|abc123def456/);
});
