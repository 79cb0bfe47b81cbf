/** Works through a list, a few items at a time. */

const AT_ONCE = 8;

/** Runs `work` for every item, eight at a time unless told otherwise. */
export async function eachOf<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  atOnce = AT_ONCE,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}

/** The same, until one fails: nothing more is begun then, those under way are waited for, and the first failure is thrown. */
export async function eachUntilFailure<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  atOnce = AT_ONCE,
): Promise<void> {
  const failures: unknown[] = [];
  await eachOf(items, async (item) => {
    if (failures.length > 0) return;
    try {
      await work(item);
    } catch (error) {
      failures.push(error);
    }
  }, atOnce);
  if (failures.length > 0) throw failures[0];
}
