/** The end of a chart's axis. */

/** The next of 1, 2, 5, 10, 20 … that is not below. */
export function niceAbove(value: number): number {
  if (value <= 0) return 1;
  const step = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((one) => one * step).find((one) => one >= value) ?? value;
}
