import assert from "node:assert/strict";
import { isSameSubnet, readSubnet, subnetsMeet } from "./subnets.ts";

Deno.test("subnetsMeet() tells ranges that share an address, of either family", () => {
  for (
    const [a, b] of [
      ["10.1.0.0/16", "10.1.200.0/24"],
      ["10.1.0.128/25", "10.1.0.5/24"],
      ["0.0.0.0/0", "192.168.3.4/32"],
      ["fd77:231::/64", "fd77:231:0:0:8000::/65"],
      ["::ffff:0:0/96", "::ffff:10.0.0.0/104"],
    ] as const
  ) assert.ok(subnetsMeet(a, b) && subnetsMeet(b, a), `${a} ${b}`);
  for (
    const [a, b] of [
      ["10.1.0.0/24", "10.1.1.0/24"],
      ["10.1.0.0/25", "10.1.0.128/25"],
      ["0.0.0.0/0", "::/0"],
      ["fd77:231::/64", "fd77:231:0:1::/64"],
      ["10.1.0.0/24", "10.1.0.0"],
      ["10.1.0/24", "10.1.0.0/24"],
    ] as const
  ) assert.ok(!subnetsMeet(a, b), `${a} ${b}`);
});

Deno.test("isSameSubnet() takes each form of one range for the same", () => {
  assert.ok(isSameSubnet("10.1.0.7/24", "10.1.0.0/24"));
  assert.ok(isSameSubnet("FD77:0231:0::/64", "fd77:231::/64"));
  assert.ok(!isSameSubnet("10.1.0.0/24", "10.1.0.0/25"));
  assert.ok(!isSameSubnet("one", "other"));
  for (const text of ["", "10.1.0.0/33", "::/129", "1.2.3.4.5/8", "256.0.0.0/8", ":::/64"]) {
    assert.equal(readSubnet(text), null, text);
  }
});
