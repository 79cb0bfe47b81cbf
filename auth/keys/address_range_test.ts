/** Ranges of addresses agree with the system's own, for every address and every length. */
import assert from "node:assert/strict";
import { BlockList } from "node:net";
import fc from "npm:fast-check@4.10.2";
import { addressRange, isInRange } from "./address_range.ts";

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
