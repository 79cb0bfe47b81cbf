/** Numbers, sizes and times as a language writes them. */

export interface Counts {
  readonly number: Intl.NumberFormat;
  readonly clock: Intl.DateTimeFormat;
  /** The same without seconds. */
  readonly minute: Intl.DateTimeFormat;
  readonly moment: Intl.DateTimeFormat;
  readonly day: Intl.DateTimeFormat;
  /** `1 unit`, `1,234 units`. */
  readonly count: (amount: number, one: string, many: string) => string;
  /** `3 d`, `40 s`: the largest unit that fits, and never nothing. */
  readonly duration: (ms: number) => string;
  /** `31 MB`, `1.9 GB`: in thousands, as the engines say it. */
  readonly bytes: (amount: number) => string;
}

const SECONDS = [31_536_000, 2_592_000, 86_400, 3_600, 60, 1];
const SIZES = ["B", "KB", "MB", "GB", "TB"];

/** `units` are the words for years, months, days, hours, minutes and seconds. */
export function countsIn(language: string, units: readonly string[]): Counts {
  const number = new Intl.NumberFormat(language);
  const tenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const ofDay = { hour: "2-digit", minute: "2-digit" } as const;
  const time = { ...ofDay, second: "2-digit" } as const;
  return {
    number,
    clock: new Intl.DateTimeFormat(language, time),
    minute: new Intl.DateTimeFormat(language, ofDay),
    moment: new Intl.DateTimeFormat(language, { day: "numeric", month: "short", ...time }),
    day: new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year: "numeric" }),
    count: (amount, one, many) => `${number.format(amount)} ${amount === 1 ? one : many}`,
    duration: (ms) => {
      const seconds = Math.max(1, Math.round(ms / 1_000));
      const found = SECONDS.findIndex((size) => seconds >= size);
      return `${Math.floor(seconds / SECONDS[found]!)} ${units[found]}`; // a second is the last of them
    },
    bytes: (amount) => {
      const step = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(1, amount)) / 3));
      const value = amount / 1_000 ** step;
      return `${value < 10 && step > 0 ? tenths.format(value) : Math.round(value)} ${SIZES[step]}`;
    },
  };
}
