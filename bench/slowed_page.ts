/** A page whose CPU is slowed four times, as that of an old phone, and what it holds in memory. */
import type { CDPSession, Page } from "npm:playwright-core@1.65.1";

const SLOWED = 4;

export async function slow(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWED });
}

/** Returns the memory of the page's own objects and buffers, after garbage collection. */
export async function heapOf(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.enable");
  for (let time = 0; time < 3; time++) await session.send("HeapProfiler.collectGarbage"); // some go only once others have
  const { usedSize, backingStorageSize } = await session.send("Runtime.getHeapUsage");
  return usedSize + backingStorageSize;
}
