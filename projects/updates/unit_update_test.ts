import assert from "node:assert/strict";
import type { Unit } from "../../artifacts/artifact.ts";
import type { RunningContainer } from "../../core/runtime.ts";
import type { Checked } from "./checked.ts";
import { type UpdateFacts, updateOf } from "./unit_update.ts";

const [OLD, NEW, CHILD] = ["1", "2", "3"].map((digit) => `sha256:${digit.repeat(64)}`) as [
  string,
  string,
  string,
];
/** The parts of a unit that are looked at. */
const UNIT = { service: { build: false, image: "web:1" } } as unknown as Unit;
const CHECKED: Checked = {
  outcome: "found",
  reason: null,
  digest: NEW,
  firstSeen: 5,
  checkedAt: 9,
  until: null,
  platforms: { "linux/amd64": [CHILD] },
  versions: null,
};

function of(
  pinned: string | null,
  checked: Partial<Checked> = {},
  { isEnabled = true, staleSince = null as string | null, image = "web:1" } = {},
) {
  const facts: UpdateFacts = {
    isEnabled,
    checks: new Map([["docker.io/library/web:1", { ...CHECKED, ...checked }]]),
    images: new Map(),
    platforms: new Map(),
    pinned: new Map([["s1", { image, digest: pinned }]]),
  };
  const found = updateOf(UNIT, [], facts, { id: "s1", staleSince });
  return [found?.state, found?.reason, found?.current, found?.digest];
}

Deno.test("A service stands to its registry by the digest that it is pinned to", () => {
  assert.deepEqual(of(OLD), ["newer", null, OLD, NEW]);
  assert.deepEqual(of(NEW), ["current", null, NEW, null]);
  assert.deepEqual(of(CHILD), ["current", null, CHILD, null], "the image of one platform of it");
});

Deno.test("A service of which nothing certain is known is neither newer nor current", () => {
  assert.deepEqual(of(null), ["unknown", "its service is not pinned to a digest", null, null]);
  const stale = of(OLD, {}, { staleSince: "2026-01-01T00:00:00Z" });
  assert.deepEqual(stale, ["unknown", "its swarm does not answer", OLD, null]);
  const off = of(OLD, {}, { isEnabled: false });
  assert.deepEqual(off, ["unknown", "berth does not look for newer images", OLD, null]);
  const other = of(OLD, {}, { image: "web:0.9" });
  assert.deepEqual(other, ["unknown", "the file names another image than runs", OLD, null]);
  assert.equal(of(NEW, {}, { image: "web:0.9" })[0], "current", "it is the image that the file names");
  assert.deepEqual(of(OLD, { outcome: "gone", reason: "no such tag" }), ["gone", "no such tag", OLD, null]);
  assert.deepEqual(of(OLD, { outcome: "unreachable", reason: "away" })[0], "newer", "it stays so");
  assert.deepEqual(of(NEW, { outcome: "unreachable", reason: "away" })[0], "unknown");
});

Deno.test("An image that the file names in place of what runs is no newer one, nor by half", () => {
  const web = "docker.io/library/web";
  const container = (image: string) =>
    ({ backend: "one", image, imageId: "old" }) as Partial<RunningContainer> as RunningContainer;
  const facts: UpdateFacts = {
    isEnabled: true,
    checks: new Map([[`${web}:1`, { ...CHECKED, platforms: { "linux/amd64": [CHILD] } }]]),
    images: new Map([["one old", { id: "old", backend: "one", digests: [`${web}@${OLD}`], source: null }]]),
    platforms: new Map([["one", "linux/amd64"]]),
    pinned: new Map(),
  };
  const stateOf = (...images: string[]) => {
    const found = updateOf(UNIT, images.map(container), facts);
    return [found?.state, found?.reason, found?.digest];
  };
  const other = ["unknown", "the file names another image than runs", null];

  for (const same of ["web:1", `${web}:1`, "localhost/web:1"]) {
    assert.deepEqual(stateOf(same), ["newer", null, NEW], same);
  }
  for (const image of ["web:0.9", "web", `web@${OLD}`, "sha256:0123", "other/web:1", ""]) {
    assert.deepEqual(stateOf(image), other, image);
    assert.deepEqual(stateOf("web:1", image), other, `${image} by half`);
  }
});
