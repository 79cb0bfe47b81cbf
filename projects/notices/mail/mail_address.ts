/** The address of a mail notice: a server, and who writes to whom over it. */

export interface MailTarget {
  readonly host: string;
  readonly port: number;
  /** `direct`: TLS from the first byte; `start`: by STARTTLS; `none`: in the clear, and then without a login. */
  readonly tls: "direct" | "start" | "none";
  readonly user: string | null;
  readonly from: string;
  readonly to: readonly string[];
}

const PORTS = { "smtp:": 587, "smtps:": 465 } as const;
const KNOWN = new Set(["from", "to", "user", "tls"]);
const MOST_RECIPIENTS = 10;
/** Plain addresses alone: nothing in them can end a line or a command. */
const MAILBOX = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/;

/** Reads `smtp://host:587?from=berth@example.org&to=ada@example.org&user=berth`. Returns the reason why not as a text. */
export function mailTargetIn(address: string, hasSecret: boolean): MailTarget | string {
  // A plus stands for itself in a mailbox, and not for a space.
  const url = URL.parse(address.replaceAll("+", "%2B"));
  if (url === null || url.protocol !== "smtp:" && url.protocol !== "smtps:" || url.hostname === "") {
    return "its address must begin with smtp:// or smtps:// and name a server";
  }
  if (url.username !== "" || url.password !== "") {
    return "its address must hold no user or password: write the user as ?user=, and the password as the secret";
  }
  const unknown = [...url.searchParams.keys()].find((key) => !KNOWN.has(key));
  if (unknown !== undefined) return `"${unknown}" is none of from, to, user and tls`;
  const one = (key: string) => url.searchParams.get(key);
  const from = one("from") ?? "";
  const to = url.searchParams.getAll("to").flatMap((text) => text.split(","));
  const wrong = [from, ...to].find((mailbox) => !MAILBOX.test(mailbox));
  if (wrong !== undefined || to.length === 0) return "it needs ?from= and &to=, each with a mail address";
  if (to.length > MOST_RECIPIENTS) return `it has more than ${MOST_RECIPIENTS} recipients`;
  const tls = one("tls");
  if (tls !== null && tls !== "no") return 'tls can be nothing but "no"';
  if (tls === "no" && url.protocol === "smtps:") return "smtps:// and tls=no contradict each other";
  const user = one("user");
  if (hasSecret !== (user !== null)) {
    return "a login needs both: ?user= in the address, and the password as the secret";
  }
  if (user !== null && tls === "no") {
    return "a password is never sent without TLS: leave out tls=no, or the login";
  }
  return {
    host: url.hostname,
    port: url.port === "" ? PORTS[url.protocol] : Number(url.port),
    tls: url.protocol === "smtps:" ? "direct" : tls === "no" ? "none" : "start",
    user,
    from,
    to,
  };
}
