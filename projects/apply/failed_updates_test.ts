/** A failure is remembered for the image that was tried, and for no other one of its name. */
import assert from "node:assert/strict";
import { alsoByDigest } from "./failed_updates.ts";

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
