/** The forms of addresses and ranges for the API document, where a schema checks them by a function. */
import * as z from "../../core/schema.ts";

/** Joins them to one pattern, because a text with alternatives has no type in generated clients. */
const either = (...patterns: readonly RegExp[]) => ({
  pattern: patterns.map(({ source }) => `(?:${source})`).join("|"),
});

const { ipv4, ipv6, cidrv4, cidrv6 } = z.regexes;
/** An address. */
export const ADDRESS = either(ipv4, ipv6);
/** A range of addresses with its number of bits. */
export const SUBNET = either(cidrv4, cidrv6);
/** An address, or a range. */
export const ADDRESS_OR_RANGE = either(ipv4, ipv6, cidrv4, cidrv6);
