/** A word of the command line as the project that it means. */
import assert from "node:assert/strict";
import { projectOf } from "./target.ts";

Deno.test("a project is read by its id or its name, with a service behind a slash", () => {
  assert.deepEqual(projectOf("shop"), { id: "shop", isShort: true });
  assert.deepEqual(projectOf("shop/web"), { id: "shop", isShort: true, service: "web" });
  assert.deepEqual(projectOf("shop@home"), { id: "shop@home", isShort: false });
  assert.deepEqual(projectOf("shop@home/web"), { id: "shop@home", isShort: false, service: "web" });
  // A group's name may hold both signs; an id ends behind its last @.
  assert.deepEqual(projectOf("a/b@c@home"), { id: "a/b@c@home", isShort: false });
  assert.deepEqual(projectOf("old@engine:nas/db"), { id: "old@engine:nas", isShort: false, service: "db" });
});
