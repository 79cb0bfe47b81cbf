/** Amounts as Compose writes them: bytes, durations, addresses and image references. */

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 2 ** 10,
  m: 2 ** 20,
  g: 2 ** 30,
  t: 2 ** 40,
  p: 2 ** 50,
};

/** Bytes of `512m`, `1.5 GiB` or `1024`; null for anything else. */
export function bytesOf(text: string): number | null {
  const match = /^(-?\d+(?:\.\d+)?)\s*([bkmgtp]?)(i?b)?$/i.exec(text.trim());
  if (match === null) return null;
  const unit = UNITS[match[2]!.toLowerCase()];
  return unit === undefined ? null : Math.trunc(Number(match[1]) * unit);
}

const NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  "µs": 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
  d: 86400e9,
  w: 604800e9,
};

/** Nanoseconds of a duration such as `1m30s`; null for anything else. */
export function nanosecondsOf(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === "0") return 0;
  if (!/^[+-]?(?:(?:\d+(?:\.\d+)?|\.\d+)(?:ns|us|µs|ms|s|m|h|d|w))+$/.test(trimmed)) return null;
  let total = 0;
  for (const [, amount, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?|\.\d+)(ns|us|µs|ms|s|m|h|d|w)/g)) {
    total += Number(amount) * NANOSECONDS[unit!]!;
  }
  return Math.round(trimmed.startsWith("-") ? -total : total);
}

/** 4 or 6 for an IP address, else null. */
export function familyOf(address: string): 4 | 6 | null {
  const parts = address.split(".");
  if (parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)) return 4;
  const bare = address.replace(/^\[|\]$/g, "").replace(/%[\w.-]+$/, "");
  if (!bare.includes(":")) return null;
  return URL.canParse(`http://[${bare}]/`) ? 6 : null;
}

/** The parts of an image reference. */
interface ImageReference {
  readonly name: string;
  readonly tag: string | null;
  readonly digest: string | null;
}

const PART = "[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*";
const HOST =
  "(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\\[[a-fA-F0-9:]+\\])(?::\\d+)?";
const REFERENCE = new RegExp(
  `^((?:${HOST}/)?${PART}(?:/${PART})*)(?::(\\w[\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);

/** Splits `registry.local:5000/team/web:1.2@sha256:...`; null where the text is not an image reference. */
export function imageReference(text: string): ImageReference | null {
  if (text.length > 512) return null;
  const match = REFERENCE.exec(text);
  return match === null ? null : { name: match[1]!, tag: match[2] ?? null, digest: match[3] ?? null };
}
