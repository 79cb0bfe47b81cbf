/** A page whose CPU is slowed four times, as that of an old phone: its frames, and what it holds in memory. */
import type { CDPSession, Page } from "npm:playwright-core@1.65.1";

const SLOWED = 4;
const WATCHED_MS = 2_000;

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

/** The 95th percentile of the time from one frame to the next. */
export async function framesOf(page: Page): Promise<number> {
  return await page.evaluate<number>(`new Promise((resolve) => {
    const times = [];
    let before = performance.now();
    const end = before + ${WATCHED_MS};
    requestAnimationFrame(function next(now) {
      times.push(now - before);
      before = now;
      if (now < end) return requestAnimationFrame(next);
      times.sort((a, b) => a - b);
      resolve(times[Math.floor(times.length * 0.95)]);
    });
  })`);
}
