/** A failure is remembered for the image that was tried, and for no other one of its name. */
import assert from "node:assert/strict";
import type { Reason, Step } from "../plan/plan_shape.ts";
import { alsoByDigest, failedUpdates } from "./failed_updates.ts";

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;

Deno.test("A failed name is remembered by the digest that it has on the engine of the apply alone", () => {
  const failed = [{ unit: "web", digest: "ghcr.io/ada/web:2" }];
  const named = [
    { name: "ghcr.io/ada/web:2", id: "one", backend: "near" },
    { name: "ghcr.io/ada/web:1", id: "before", backend: "near" },
    { name: "ghcr.io/ada/web:2", id: "other", backend: "far" },
  ];
  const images = [
    { id: "one", backend: "near", digests: [`ghcr.io/ada/web@${digest("a")}`, `x.io/web@${digest("d")}`] },
    { id: "before", backend: "near", digests: [`ghcr.io/ada/web@${digest("b")}`] },
    { id: "other", backend: "far", digests: [`ghcr.io/ada/web@${digest("c")}`] },
  ].map((one) => ({ ...one, source: null }));

  const found = alsoByDigest(failed, "near", named, images);

  assert.deepEqual(found.map(({ digest }) => digest), ["ghcr.io/ada/web:2", digest("a")]);
});

Deno.test("A failed update is remembered, also of an image that another project pulled before", () => {
  const step = (n: number, kind: Step["kind"], more: Partial<Step>): Step => ({
    n,
    kind,
    target: "web",
    unit: "web",
    why: [{ code: "newerImage" }],
    after: [],
    needs: [],
    risk: "none",
    ...more,
  });
  const pull = step(1, "image.pull", { digest: digest("b") });
  const moved = { code: "field", field: "image", declared: "web:1 (bbb)", seen: "web:1 (aaa)" } as Reason;
  const found = (swap: Step) =>
    failedUpdates([pull, swap], new Map([[1, { state: "done" }], [2, { state: "failed" }]]));

  const once = [{ unit: "web", digest: digest("b") }];
  assert.deepEqual(found(step(2, "container.swap", { after: [1], ifChanged: [1] })), once);
  assert.deepEqual(found(step(2, "container.swap", { after: [1], why: [moved] })), once);
  assert.deepEqual(found(step(2, "container.swap", { why: [moved] })), [], "no update of it");
  const ports = { code: "field", field: "ports", declared: "80", seen: "81" } as Reason;
  assert.deepEqual(found(step(2, "container.swap", { after: [1], why: [moved, ports] })), [], "or the ports");
});
