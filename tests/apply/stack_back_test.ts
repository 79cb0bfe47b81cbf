/** The way back of a stack's apply, on a swarm of the test's own: what it sends, and what it says of what it leaves. */
import assert from "node:assert/strict";
import { takeBack } from "../../projects/apply/stack_back.ts";
import { BackScene, definitionOf } from "./stack_back_scene.ts";

const BIND = definitionOf("shop_web", { mounts: ["/etc"] });
const PLAIN = definitionOf("shop_web", {});
const OTHER = definitionOf("shop_db", {});

Deno.test("A hold of a host comes back only with the permission for it, and nothing else comes back without", async () => {
  const scene = new BackScene().updated(2, PLAIN, BIND).updated(1, OTHER, OTHER.replace("{", '{"Old":1,'));
  scene.permissions = ["projects:apply"];

  await assert.rejects(takeBack(scene.options), /"shop_web" back needs the permission "projects:host"/);
  assert.deepEqual(scene.sent, []);

  scene.permissions.push("projects:host");
  assert.equal(await takeBack(scene.options), null);
  assert.deepEqual(scene.sent, ["restore shop_web", "restore shop_db"]);
});

Deno.test("Nothing is taken back with rights that are gone", async () => {
  const scene = new BackScene().updated(1, PLAIN, PLAIN.replace("{", '{"Old":1,'));
  scene.permissions = [];

  await assert.rejects(takeBack(scene.options), /needs the permission "projects:apply".*rights of somebody/);
  assert.deepEqual([scene.sent, scene.audit], [[], []]);
});
