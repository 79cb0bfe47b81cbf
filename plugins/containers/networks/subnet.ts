/** Checks addresses and subnets before an engine gets them. */

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$/;

export function isAddress(text: string): boolean {
  return IPV4.test(text) || isIpv6(text);
}

export function isSubnet(text: string): boolean {
  const slash = text.lastIndexOf("/");
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const bits = text.slice(slash + 1);
  if (!/^\d{1,3}$/.test(bits)) return false;
  return (IPV4.test(address) && Number(bits) <= 32) || (isIpv6(address) && Number(bits) <= 128);
}

/** Uses the URL parser, which knows the whole grammar. */
function isIpv6(text: string): boolean {
  return text.includes(":") && /^[0-9a-fA-F:.]+$/.test(text) && URL.canParse(`http://[${text}]/`);
}
