/** The sentences behind permissions: one for each that a berth with every plugin knows, in both languages. */
import assert from "node:assert/strict";
import { permissions as german } from "../../page/words/de_permissions.ts";
import { permissions as english } from "../../page/words/en_permissions.ts";
import { startService } from "../support/service.ts";

Deno.test("every permission that an admin holds has a sentence in both languages, and no sentence is of another", async () => {
  await using berth = await startService();
  const { permissions } = (await berth.call("GET /api/auth/me")).body;
  const held: string[] = permissions.toSorted();
  const ofPlugins = ["units:read"]; // only where systemd runs
  assert.deepEqual([...new Set([...held, ...ofPlugins])].sort(), Object.keys(english).sort());
  assert.deepEqual(Object.keys(german), Object.keys(english));
});
