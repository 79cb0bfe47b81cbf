/** Ranges of addresses, as `10.0.0.0/8` or `fd00::/8`: whether a peer is in one, and whether two share addresses. */

/** Parsed once, compared often. */
export interface AddressRange {
  readonly bytes: Uint8Array;
  readonly bits: number;
}

/** Null for what is no address and no range. An address alone is a range of one. */
export function addressRange(text: string): AddressRange | null {
  const [address = "", length, ...more] = text.split("/");
  const bytes = bytesOf(address);
  if (bytes === null || more.length > 0) return null;
  const most = bytes.length * 8;
  if (length === undefined) return { bytes, bits: most };
  if (!/^\d{1,3}$/.test(length) || Number(length) > most) return null;
  return { bytes, bits: Number(length) };
}

/** An IPv4 address written as IPv6 (`::ffff:10.0.0.2`) is the IPv4 address. */
export function isInRange(peer: string, ranges: readonly AddressRange[]): boolean {
  const bytes = bytesOf(peer.split("%", 1)[0] ?? "");
  return bytes !== null && ranges.some((range) => contains(range, bytes));
}

/** Returns true if some address is in both; false for a text that is no range. */
export function rangesMeet(a: string, b: string): boolean {
  const [one, other] = [addressRange(a), addressRange(b)];
  if (one === null || other === null) return false;
  return one.bits <= other.bits ? contains(one, other.bytes) : contains(other, one.bytes);
}

/** Returns true for the same range in whatever form, and for equal texts. */
export function isSameRange(a: string, b: string): boolean {
  return a === b || addressRange(a)?.bits === addressRange(b)?.bits && rangesMeet(a, b);
}

function contains({ bytes, bits }: AddressRange, peer: Uint8Array): boolean {
  if (bytes.length !== peer.length) return false;
  for (let bit = 0; bit < bits; bit += 8) {
    const mask = bits - bit >= 8 ? 0xff : 0xff << (8 - (bits - bit)) & 0xff;
    if ((((bytes[bit >> 3] ?? 0) ^ (peer[bit >> 3] ?? 0)) & mask) !== 0) return false;
  }
  return true;
}

function bytesOf(address: string): Uint8Array | null {
  if (!address.includes(":")) return v4(address);
  const bytes = v6(address);
  const mapped = bytes !== null && bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff &&
    bytes[11] === 0xff;
  return mapped ? bytes.subarray(12) : bytes;
}

function v4(address: string): Uint8Array | null {
  const parts = address.split(".");
  const isGood = parts.length === 4 &&
    parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
  return isGood ? Uint8Array.from(parts, Number) : null;
}

function v6(address: string): Uint8Array | null {
  const [head = "", tail, ...more] = address.split("::");
  if (more.length > 0) return null;
  const first = groupsOf(head);
  const last = tail === undefined ? [] : groupsOf(tail);
  if (first === null || last === null) return null;
  const missing = 8 - first.length - last.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...first, ...Array<number>(missing).fill(0), ...last];
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

/** The groups of sixteen bits between colons; the last may be an IPv4 address. */
function groupsOf(text: string): number[] | null {
  if (text === "") return [];
  const parts = text.split(":");
  const groups: number[] = [];
  for (const [at, part] of parts.entries()) {
    const inner = at === parts.length - 1 && part.includes(".") ? v4(part) : null;
    if (inner !== null) {
      groups.push((inner[0] ?? 0) << 8 | (inner[1] ?? 0), (inner[2] ?? 0) << 8 | (inner[3] ?? 0));
    } else if (/^[0-9A-Fa-f]{1,4}$/.test(part)) groups.push(parseInt(part, 16));
    else return null;
  }
  return groups;
}
