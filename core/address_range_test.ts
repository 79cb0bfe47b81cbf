/** Ranges of addresses agree with the system's own, for every address and every length. */
import assert from "node:assert/strict";
import { BlockList } from "node:net";
import fc from "npm:fast-check@4.10.2";
import { addressRange, isInRange, isSameRange, rangesMeet } from "./address_range.ts";

function isIn(peer: string, range: string): boolean {
  const parsed = addressRange(range) ?? assert.fail(range);
  return isInRange(peer, [parsed]);
}

for (const [family, address, most] of [["ipv4", fc.ipV4(), 32], ["ipv6", fc.ipV6(), 128]] as const) {
  Deno.test(`isInRange agrees with node:net for ${family}`, () => {
    fc.assert(
      fc.property(
        address,
        address,
        fc.integer({ min: 0, max: most }),
        fc.boolean(),
        (one, other, bits, near) => {
          const list = new BlockList();
          list.addSubnet(one, bits, family);
          const peer = near ? one : other;
          assert.equal(isIn(peer, `${one}/${bits}`), list.check(peer, family), `${peer} in ${one}/${bits}`);
        },
      ),
    );
  });
}

Deno.test("addressRange takes addresses and ranges, and nothing that only looks like one", () => {
  assert.ok(isIn("10.1.2.3", "10.0.0.0/8"));
  assert.ok(isIn("::ffff:10.1.2.3", "10.0.0.0/8"));
  assert.ok(isIn("10.1.2.3", "10.1.2.3"));
  assert.ok(!isIn("10.1.2.4", "10.1.2.3"));
  assert.ok(isIn("fe80::1%eth0", "fe80::/10"));
  assert.ok(!isIn("fd00::1", "0.0.0.0/0"));
  assert.ok(!isIn("unix", "0.0.0.0/0"));
  for (
    const bad of [
      "",
      "10.0.0",
      "10.0.0.0/33",
      "10.0.0.0/",
      "10.0.0.0/8/8",
      "010.0.0.1",
      "256.1.1.1",
      "::1::",
      ":::",
      "1:2:3:4:5:6:7",
      "::/129",
      "g::",
      "1:2:3:4:5:6:7:8::",
      "example.org",
      "10.0.0.0/-1",
      "::1.2.3",
    ]
  ) assert.equal(addressRange(bad), null, bad);
});

Deno.test("rangesMeet() tells ranges that share an address, of either family", () => {
  const pairs: readonly (readonly [string, string, boolean])[] = [
    ["10.1.0.0/16", "10.1.200.0/24", true],
    ["10.1.0.128/25", "10.1.0.5/24", true],
    ["0.0.0.0/0", "192.168.3.4/32", true],
    ["fd77:231::/64", "fd77:231:0:0:8000::/65", true],
    ["10.1.0.0/24", "10.1.1.0/24", false],
    ["10.1.0.0/25", "10.1.0.128/25", false],
    ["0.0.0.0/0", "::/0", false],
    ["fd77:231::/64", "fd77:231:0:1::/64", false],
    ["10.1.0/24", "10.1.0.0/24", false],
  ];
  for (const [a, b, isMet] of pairs) {
    assert.deepEqual([rangesMeet(a, b), rangesMeet(b, a)], [isMet, isMet], `${a} ${b}`);
  }
});

Deno.test("isSameRange() takes each form of one range for the same", () => {
  assert.ok(isSameRange("10.1.0.7/24", "10.1.0.0/24"));
  assert.ok(isSameRange("FD77:0231:0::/64", "fd77:231::/64"));
  assert.ok(!isSameRange("10.1.0.0/24", "10.1.0.0/25"));
  assert.ok(isSameRange("${NET}", "${NET}") && !isSameRange("one", "other"));
});
