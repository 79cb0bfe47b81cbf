/** Sizes in the largest unit that loses nothing. */

/** `268435456 bytes` as `256 MiB`, where that is no less exact. */
export function readable(text: string): string {
  const [, digits] = /^(\d{4,15}) bytes$/.exec(text) ?? [];
  if (digits === undefined) return text;
  let amount = Number(digits);
  let unit = 0;
  for (; amount % 1_024 === 0 && unit < UNITS.length - 1; unit++) amount /= 1_024;
  return `${amount} ${UNITS[unit]}`;
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];
