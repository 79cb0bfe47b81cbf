/** A watcher reads who is to be told beforehand, so that it can tell from memory what the store does not take. */
import { eventually } from "../support/eventually.ts";
import type { TestCaller } from "../support/service.ts";

/** Returns how often a replica has read the mutes, which a watcher does when it reads who is to be told. */
async function readsOf(berth: Pick<TestCaller, "call">): Promise<number> {
  const { text } = await berth.call("GET /api/metrics");
  const name = 'berth_store_seconds_count{operation="mutes.list"}';
  return Number(text.split("\n").find((line) => line.startsWith(name))?.split(" ").at(-1) ?? "0");
}

/** Waits until it has read them twice more: the second time it began after this was asked. */
export async function untilTargetsAreRead(berth: Pick<TestCaller, "call">): Promise<void> {
  const read = await readsOf(berth);
  await eventually(
    "the watcher has read who is to be told",
    async () => await readsOf(berth) >= read + 2,
  );
}
