/** Ranges of addresses: equal in whatever form, and two that no engine gives to two networks. */

interface Subnet {
  /** The number of bits of an address of its family. */
  readonly width: 32 | 128;
  readonly first: bigint;
  readonly last: bigint;
}

/** Reads `10.1.0.0/16` or `fd00::/64`; null for a text that is no range. */
export function readSubnet(text: string): Subnet | null {
  const [, address = "", said = ""] = /^([0-9a-fA-F:.]+)\/(\d{1,3})$/.exec(text.trim()) ?? [];
  const number = address.includes(":") ? ipv6(address) : ipv4(address);
  const width = address.includes(":") ? 128 : 32;
  if (number === null || Number(said) > width) return null;
  const size = 1n << BigInt(width - Number(said));
  const first = number - number % size;
  return { width, first, last: first + size - 1n };
}

function ipv4(text: string): bigint | null {
  const parts = text.split(".").map((part) => /^\d{1,3}$/.test(part) ? Number(part) : 256);
  if (parts.length !== 4 || parts.some((part) => part > 255)) return null;
  return parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

/** Leaves the grammar to the parser of URLs, which writes each address in one form. */
function ipv6(text: string): bigint | null {
  if (!URL.canParse(`http://[${text}]/`)) return null;
  const [before = "", after] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split("::");
  const [head, tail] = [before, after ?? ""].map((half) => half === "" ? [] : half.split(":"));
  const zeros = after === undefined ? 0 : 8 - head!.length - tail!.length; // one of each half
  const groups = [...head!, ...Array<string>(zeros).fill("0"), ...tail!];
  return groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

/** Returns true if both are ranges, and some address is in both. */
export function subnetsMeet(a: string, b: string): boolean {
  const [one, other] = [readSubnet(a), readSubnet(b)];
  return one !== null && other !== null && one.width === other.width &&
    one.first <= other.last && other.first <= one.last;
}

/** Returns true if both are the same range, in whatever form. */
export function isSameSubnet(a: string, b: string): boolean {
  if (a === b) return true;
  const [one, other] = [readSubnet(a), readSubnet(b)];
  return one !== null && other !== null && one.width === other.width &&
    one.first === other.first && one.last === other.last;
}
