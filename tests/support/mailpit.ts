/** Mailpit, a whole mail server with an API to read what came: built from Go's module proxy once, for the proof. */
import { eventually } from "./eventually.ts";
import { freePort } from "./free_port.ts";

const VERSION = "1.33.1";
const BUILD_MS = 900_000;

const CACHE = `${Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME") ?? "/tmp"}/.cache`}/berth-tests`;

/** Returns the program; a text that says why there is none. */
async function built(): Promise<{ readonly program: string } | { readonly missing: string }> {
  const folder = `${CACHE}/mailpit-${VERSION}`;
  const program = `${folder}/mailpit`;
  if (await Deno.stat(program).then(({ isFile }) => isFile, () => false)) return { program };
  try {
    const { success, stderr } = await new Deno.Command("go", {
      args: ["install", `github.com/axllent/mailpit@v${VERSION}`],
      env: { GOBIN: folder },
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.timeout(BUILD_MS),
    }).output();
    if (success) return { program };
    return { missing: `go cannot build it: ${new TextDecoder().decode(stderr).trim().split("\n").at(-1)}` };
  } catch (error) {
    return { missing: `go cannot build it: ${error instanceof Error ? error.message : error}` };
  }
}

const found = Deno.env.get("BERTH_PROOF") === "1" ? await built() : { missing: "it takes minutes to build" };

/** The reason that there is none here, or null. */
export const mailpitMissing: string | null = "missing" in found ? found.missing : null;

interface MailpitMessage {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly id: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

export interface Mailpit extends AsyncDisposable {
  readonly port: number;
  messages(): Promise<MailpitMessage[]>;
}

/** Starts one that takes mail over STARTTLS alone, and with this login alone. */
export async function startMailpit(
  { cert, key, user, password }: {
    readonly cert: string;
    readonly key: string;
    readonly user: string;
    readonly password: string;
  },
): Promise<Mailpit> {
  if (!("program" in found)) throw new Error(found.missing);
  const folder = await Deno.makeTempDir({ prefix: "berth-mailpit-" });
  await Deno.writeTextFile(`${folder}/logins`, `${user}:${password}\n`);
  const [port, api] = [freePort(), freePort()];
  const child = new Deno.Command(found.program, {
    args: [
      ...["--smtp", `127.0.0.1:${port}`, "--listen", `127.0.0.1:${api}`, "--database", `${folder}/mail.db`],
      ...["--smtp-tls-cert", cert, "--smtp-tls-key", key, "--smtp-require-starttls"],
      ...["--smtp-auth-file", `${folder}/logins`, "--disable-version-check"],
    ],
    stdout: "null",
    stderr: "null",
  }).spawn();
  // deno-lint-ignore no-explicit-any -- a test reads what it expects
  const asked = async (path: string): Promise<any> =>
    (await fetch(`http://127.0.0.1:${api}/api/v1/${path}`)).json();
  await eventually("mailpit answers", () => asked("info").then(() => true, () => false));
  return {
    port,
    messages: async () => {
      const { messages } = await asked("messages");
      return await Promise.all(messages.map(async ({ ID }: { readonly ID: string }) => {
        const { From, To, Subject, MessageID, Text } = await asked(`message/${ID}`);
        return {
          from: From.Address,
          to: To.map(({ Address }: { readonly Address: string }) => Address),
          subject: Subject,
          id: MessageID,
          text: Text,
          headers: await asked(`message/${ID}/headers`),
        };
      }));
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}
