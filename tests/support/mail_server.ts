/** A real mail server of a test: aiosmtpd, with the TLS and the login that it is told to have. */

const PROGRAM = `
import asyncio, json, ssl, sys
from aiosmtpd.smtp import SMTP, AuthResult

asked = json.loads(sys.argv[1])
answers = list(asked.get("answers", []))
known = set()

class Handler:
    async def handle_DATA(self, server, session, envelope):
        said = answers.pop(0) if answers else "250 OK"
        if said.startswith("250"):
            print(json.dumps({
                "from": envelope.mail_from, "to": envelope.rcpt_tos, "tls": session.ssl is not None or asked["tls"] == "direct",
                "user": session.auth_data, "text": envelope.content.decode("utf-8"),
            }), flush=True)
        return said
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("nobody@"):
            return "550 no such mailbox"
        if address.startswith("later@") and address not in known:
            known.add(address)
            return "450 try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

def authenticate(server, session, envelope, mechanism, data):
    user, password = data.login.decode(), data.password.decode()
    return AuthResult(success=password == asked["password"], handled=False, auth_data=user)

async def main():
    context = None
    if asked["tls"] != "none":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(asked["cert"], asked["key"])
    options = {"hostname": "receiver"}
    if asked.get("password"):
        options.update(authenticator=authenticate, auth_required=True, auth_require_tls=False,
                       auth_exclude_mechanism=asked.get("without", []))
    if asked["tls"] == "start":
        options.update(tls_context=context, require_starttls=True)
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(Handler(), **options), "127.0.0.1", 0, ssl=context if asked["tls"] == "direct" else None)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
`;

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly tls: boolean;
  readonly user: string | null;
  /** The whole text, as it came. */
  readonly text: string;
}

export interface MailServer extends AsyncDisposable {
  readonly port: number;
  readonly taken: readonly ReceivedMail[];
}

interface MailServerOptions {
  readonly tls: "none" | "start" | "direct";
  /** Paths of the certificate and its key. */
  readonly cert?: string;
  readonly key?: string;
  /** It asks for a login, and takes this password. */
  readonly password?: string;
  /** Mechanisms of the login that it does not offer. */
  readonly without?: readonly string[];
  /** Answers to the first messages. */
  readonly answers?: readonly string[];
}

/** The reason that there is none here, or null. */
export const mailServerMissing: string | null = await (async () => {
  const asked = new Deno.Command("python3", { args: ["-c", "import aiosmtpd"], stderr: "null" });
  const isThere = await asked.output().then(({ success }) => success, () => false);
  return isThere ? null : "there is no Python with aiosmtpd: pip install aiosmtpd";
})();

export async function startMailServer(options: MailServerOptions): Promise<MailServer> {
  const child = new Deno.Command("python3", {
    args: ["-W", "ignore", "-c", PROGRAM, JSON.stringify(options)],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const taken: ReceivedMail[] = [];
  const first = Promise.withResolvers<number>();
  const reading = (async () => {
    let text = "";
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += part;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        const line = text.slice(0, end);
        text = text.slice(end + 1);
        if (/^\d+$/.test(line)) first.resolve(Number(line));
        else taken.push(JSON.parse(line));
      }
    }
    first.reject(new Error("the mail server did not start"));
  })();
  const port = await first.promise;
  return {
    port,
    taken,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.status;
      await reading;
    },
  };
}
