/** The parts of an address, by the path of a screen: what `URLPattern` does, which not every promised browser has. */

/** Returns the parts of an address that a path as "/c/:backend/:name" names; null for another address. */
export function partsOf(path: string, pathname: string): Readonly<Record<string, string>> | null {
  const [names, given] = [path.split("/"), pathname.split("/")];
  if (names.length !== given.length) return null;
  const parts: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const part = given[at]!; // both are as long
    if (!name.startsWith(":")) {
      if (name !== part) return null;
    } else {
      const text = decoded(part);
      if (text === null || text === "") return null;
      parts[name.slice(1)] = text;
    }
  }
  return parts;
}

/** Returns null for what nothing encodes, as "%zz". */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
