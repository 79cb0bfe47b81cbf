/** Divides the proof among machines. */

/** Returns every nth of them from the first on for "1/4", from the second on for "2/4"; all of them for "1/1". */
export function shareOf<T>(all: readonly T[], share: string): T[] {
  const [, nth, count] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(share)?.map(Number) ?? [];
  if (nth === undefined || count === undefined || nth > count) {
    throw new Error(`Cannot take the share "${share}": one looks like 2/4`);
  }
  return all.filter((_, at) => at % count === nth - 1);
}
