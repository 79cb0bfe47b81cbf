/** Hands a mail to a server, as RFC 6409 says: over TLS, with a login where there is one. */
import { connectable, OutboundFailure } from "../../../core/outbound.ts";
import { MailFailure } from "./mail_failure.ts";
import type { MailTarget } from "./mail_address.ts";
import { SmtpLines } from "./smtp_lines.ts";

interface Submission extends MailTarget {
  readonly password: string | null;
  /** A PEM text of further certificates that are trusted. */
  readonly ca: string | null;
  readonly text: string;
  /** True to give it to nobody yet where the server refuses a recipient for now. */
  readonly isPatient: boolean;
  readonly signal: AbortSignal;
}

/** A mail that a server took for one recipient at least. */
export interface Submitted {
  readonly status: number;
  /** The recipients that it refused, by their places, in words; null if it refused none. */
  readonly refused: string | null;
}

/** Throws `MailFailure` and `OutboundFailure`. */
export async function submit(asked: Submission): Promise<Submitted> {
  const { host, port, tls, signal } = asked;
  const [address] = await connectable(host, true, signal);
  if (address === undefined) throw new OutboundFailure("unreachable", "its name has no address");
  let open: Deno.Conn = await Deno.connect({ hostname: address, port, signal });
  const end = () => closed(open);
  signal.addEventListener("abort", end);
  try {
    if (tls === "direct") open = await secured(open, asked);
    let lines = new SmtpLines(open);
    await expect(lines, null, 220);
    let offered = await greet(lines);
    if (tls === "start") {
      if (!offered.has("STARTTLS")) {
        throw new MailFailure("it offers no STARTTLS: use smtps://, or tls=no where nobody listens");
      }
      await expect(lines, "STARTTLS", 220);
      // What came before the handshake could be anybody's.
      if (!lines.isEmpty) throw new MailFailure("it said more than STARTTLS allows");
      open = await secured(open, asked);
      lines = new SmtpLines(open);
      offered = await greet(lines);
    }
    await logIn(lines, offered, asked);
    return await hand(lines, asked);
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

async function secured(open: Deno.Conn, { host, ca }: Submission): Promise<Deno.Conn> {
  const made = await Deno.startTls(open as Deno.TcpConn, {
    hostname: host.replace(/^\[|\]$/g, ""),
    ...(ca !== null && { caCerts: [ca] }),
  });
  try {
    await made.handshake();
    return made;
  } catch (error) {
    closed(made);
    const why = error instanceof Error && error.message.includes("CaUsedAsEndEntity")
      ? "its certificate is that of an authority: it needs one of its own, signed by that"
      : "its certificate is not trusted, or it does not speak TLS";
    throw new OutboundFailure("tls", why, error);
  }
}

function closed(open: Deno.Conn): void {
  try {
    open.close();
  } catch {
    // it is closed already
  }
}

/** Returns what the server offers, in capitals: `STARTTLS`, `AUTH PLAIN LOGIN`. */
async function greet(lines: SmtpLines): Promise<ReadonlyMap<string, string>> {
  // No name of this machine is told: a literal is allowed for one that has none.
  const { text } = await expect(lines, "EHLO [127.0.0.1]", 250);
  return new Map(
    text.slice(1).map((line) => {
      const [word = "", ...rest] = line.toUpperCase().split(" ");
      return [word, rest.join(" ")];
    }),
  );
}

async function logIn(
  lines: SmtpLines,
  offered: ReadonlyMap<string, string>,
  { user, password }: Submission,
): Promise<void> {
  if (user === null) return;
  const base64 = (text: string) => new TextEncoder().encode(text).toBase64();
  const ways = offered.get("AUTH")?.split(" ") ?? [];
  const failed = "it refused the login: look at the user and the secret";
  if (ways.includes("PLAIN")) {
    await expect(lines, `AUTH PLAIN ${base64(`\0${user}\0${password ?? ""}`)}`, 235, failed);
  } else if (ways.includes("LOGIN")) {
    await expect(lines, "AUTH LOGIN", 334, failed);
    await expect(lines, base64(user), 334, failed);
    await expect(lines, base64(password ?? ""), 235, failed);
  } else throw new MailFailure("it offers no login with a password (AUTH PLAIN or LOGIN)");
}

/** A mailbox that is refused does not keep the mail from the others. */
async function hand(lines: SmtpLines, { from, to, text, isPatient }: Submission): Promise<Submitted> {
  await expect(lines, `MAIL FROM:<${from}>`, 250, "it refused the sender");
  const refusals: MailFailure[] = [];
  for (const [at, mailbox] of to.entries()) {
    try {
      await expect(lines, `RCPT TO:<${mailbox}>`, 250, `it refused recipient ${at + 1} of ${to.length}`);
    } catch (error) {
      if (!(error instanceof MailFailure)) throw error;
      refusals.push(error);
    }
  }
  // A refusal for now is tried again, and one for ever is not: a server may let a recipient wait before the first mail.
  const [soonest] = refusals.toSorted((one, other) => (one.status ?? 0) - (other.status ?? 0));
  const isForNow = (soonest?.status ?? 500) < 500;
  if (soonest !== undefined && (refusals.length === to.length || (isPatient && isForNow))) throw soonest;
  await expect(lines, "DATA", 354);
  // No line of it begins with a dot: headers do not, and base64 has none.
  const { status } = await expect(lines, `${text}.`, 250, "it refused the message");
  await lines.write("QUIT").catch(() => {}); // the message is taken
  return {
    status,
    refused: refusals.length === 0 ? null : refusals.map(({ message }) => message).join(", "),
  };
}

/** Writes a line, and reads the answer, which must be of this hundred and ten. */
async function expect(
  lines: SmtpLines,
  line: string | null,
  status: number,
  failed = "it did not do what was asked",
): Promise<{ readonly status: number; readonly text: readonly string[] }> {
  if (line !== null) await lines.write(line);
  const answer = await lines.answer();
  if (answer === null) throw new OutboundFailure("unreachable", "it ended the connection, or speaks no SMTP");
  if (Math.floor(answer.status / 10) !== Math.floor(status / 10)) {
    throw new MailFailure(`${failed}: it answered ${answer.status}`, answer.status);
  }
  return answer;
}
