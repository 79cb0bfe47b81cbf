/** Numbers, sizes and times in English. */

export const number = new Intl.NumberFormat("en");
export const clock = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
export const moment = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
export const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const UNITS: readonly (readonly [unit: string, seconds: number])[] = [
  ["y", 31_536_000],
  ["mo", 2_592_000],
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
];

export function count(amount: number, one: string, many: string): string {
  return `${number.format(amount)} ${amount === 1 ? one : many}`;
}

/** `3 d`, `40 s`: the largest unit that fits, and never nothing. */
export function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? ["s", 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}

const SIZES = ["B", "KB", "MB", "GB", "TB"];

/** `31 MB`, `1.9 GB`: in thousands, as the engines say it. */
export function bytes(amount: number): string {
  const step = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(1, amount)) / 3));
  const value = amount / 1_000 ** step;
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${SIZES[step]}`;
}
