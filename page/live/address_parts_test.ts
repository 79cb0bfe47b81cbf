/** The addresses of screens. */
import assert from "node:assert/strict";
import { partsOf } from "./address_parts.ts";

Deno.test("partsOf finds the parts of an address, decoded, and null for the address of another screen", () => {
  assert.deepEqual(partsOf("/", "/"), {});
  assert.deepEqual(partsOf("/c/:backend/:name", "/c/docker/shop%20%C3%A4"), {
    backend: "docker",
    name: "shop ä",
  });
  assert.deepEqual(partsOf("/p/:id/plan", "/p/shop%40a%2Fb/plan"), { id: "shop@a/b" });
  for (
    const [path, pathname] of [
      ["/", "/c"],
      ["/c", "/"],
      ["/c", "/C"],
      ["/p/:id", "/p/"],
      ["/p/:id", "/p/a/"],
      ["/p/:id", "/p/a/plan"],
      ["/p/:id", "/p/%zz"],
      ["/p/:id/plan", "/p/a/plans"],
    ] as const
  ) {
    assert.equal(partsOf(path, pathname), null, `${path} ${pathname}`);
  }
});
