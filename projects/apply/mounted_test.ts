/** A mount counts as exchanged unless berth saw the same file or folder before the start. */
import assert from "node:assert/strict";
import { pinned } from "../../artifacts/files/pinned.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import type { Placed } from "../specs/host_places.ts";
import { mountedElsewhere } from "./mounted.ts";

const CGROUP = "/proc/self/cgroup";
const ignore = Deno.build.os !== "linux" || pinned(CGROUP) === null;

/** This process as a container whose `/` is mounted from a source. */
const container = {
  id: ignore ? "" : Deno.readTextFileSync(CGROUP).trim().split("\n")[0],
  pid: Deno.pid,
  mounts: [{ type: "bind", source: "/w/data", target: "/" }],
} as unknown as InspectedContainer;

const seen = (identity: string | null) =>
  new Map<string, Placed>([["/w/data", { place: "own", path: "/w/data", identity, isAboveMount: false }]]);

for (
  const [what, identity, expected] of [
    ["A source that is mounted as it was seen is the planned one", () => pinned("/")!.identity, null],
    ["A source that was another one before the start was exchanged", () => "1:1", "/w/data"],
    ["A source that was not there before the start, and is mounted, was exchanged", () => null, "/w/data"],
  ] as const
) {
  Deno.test({
    name: what,
    ignore,
    fn: async () => assert.equal(await mountedElsewhere(container, seen(identity())), expected),
  });
}
