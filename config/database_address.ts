/** A database as its address names it. */

export interface DatabaseAddress {
  /** A name or an address; the folder of a socket begins with a slash. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly name: string;
}

const FORM = "expected postgres://user@host/name, or postgres://user@%2Ffolder%2Fof%2Fsocket/name";
const PORT = 5432;

/** The parts, or what is wrong with it in words that hold nothing of it: it may hold a password. */
export function databaseAddress(text: string): DatabaseAddress | string {
  const url = URL.parse(text);
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol)) return FORM;
  if (url.password !== "" || url.searchParams.has("password")) {
    return "a password may be seen there by others: put it into a file, and name that in BERTH_DATABASE_PASSWORD_FILE";
  }
  if (url.search !== "" || url.hash !== "") {
    return "expected no options: TLS is always checked, unless the host is this one, and BERTH_DATABASE_CA names its authority";
  }
  const [host, user, name] = [url.hostname, url.username, url.pathname.slice(1)].map(decoded);
  if (!host || !user || !name || name.includes("/")) return FORM;
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(url.port || PORT), user, name };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
